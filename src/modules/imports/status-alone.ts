import type { SeriesEntry } from './compare-entries.ts';
import type { EntryContent } from './entry-content.ts';

/**
 * What an entry changes of the status of a series, without the rest. It has no hash, so the rest is compared again.
 * @param said what the file said before
 */
export function statusAlone(entry: SeriesEntry, said: EntryContent): SeriesEntry {
  const { change, content, series } = entry;
  const status = change?.status;
  return {
    ...entry,
    change: status ? { status } : null,
    content: { ...said, ...(status && content && { status: content.status }) },
    hash: null,
    series: { ...series, change: null, onlyDate: null },
  };
}
