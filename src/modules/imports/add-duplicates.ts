/** Marks new entries that may be events which exist as doubtful. */
import type { Database } from '#pg';
import type { EnteredEvent } from '../events/schemas.ts';
import { instantOf, readDate } from '../events/series/schedule.ts';
import type { ComparedEntry } from './compare-entries.ts';
import { findDuplicates } from './find-duplicates.ts';

export async function addDuplicates(
  db: Database,
  userId: string,
  entries: ComparedEntry[],
  now: Date,
): Promise<void> {
  const added = entries.flatMap((entry) =>
    entry.event && (entry.state === 'new' || entry.state === 'doubtful')
      ? [{ uid: entry.uid, event: nextOf(entry.event, entry.series), entry, now }]
      : [],
  );
  const found = await findDuplicates(db, { id: userId, role: 'user' }, added);
  for (const [i, duplicates] of found.entries()) {
    const entry = added[i]?.entry;
    if (!entry || duplicates.length === 0) continue;
    Object.assign(entry, { duplicates, doubts: [...entry.doubts, 'duplicate'], state: 'doubtful' });
  }
}

/** Of a series, the event of the next date. */
function nextOf(event: EnteredEvent, series: ComparedEntry['series']): EnteredEvent {
  const next = series?.next[0];
  const date = next === undefined ? null : readDate(next, event.allDay);
  return date ? { ...event, startAt: instantOf(date, event.timezone).toISOString() } : event;
}
