/** Decides what a source changes by itself, and what waits for the person. */

import type { EventChange } from '../../events/schemas.ts';
import type { SourceFindings } from '../../events/source-imports.ts';
import { type ComparedEntry, editedFields, tryChange } from '../compare-entries.ts';
import type { EntryContent } from '../entry-content.ts';
import { toEntered } from '../to-entered.ts';
import type { Absences, Known } from './absences.ts';

/** `others`: what changes nothing, which only the first review shows. */
export type Decisions = {
  automatic: ComparedEntry[];
  waiting: ComparedEntry[];
  others: ComparedEntry[];
  /** Entries that change nothing, with what they say now. */
  said: SourceFindings['said'];
  /** The keys of entries that are there again, of which nothing is to be restored. */
  returned: string[];
};

/** `isEdited`: whether a person has changed something here that the source changes in a series. */
type Context = { autoPublish: boolean; now: Date; isEdited: (entry: ComparedEntry) => boolean };

export function decideEntries(
  compared: ComparedEntry[],
  known: Map<string, Known>,
  { missing: _, confirmed, isMass }: Absences,
  context: Context,
): Decisions {
  const decisions: Decisions = { automatic: [], waiting: [], others: [], said: [], returned: [] };
  for (const entry of compared) decideEntry(entry, known.get(entry.key), context, decisions);
  const cancelled = confirmed.flatMap((one) => toCancellation(one) ?? []);
  decisions[isMass ? 'waiting' : 'automatic'].push(...cancelled);
  return decisions;
}

function decideEntry(
  compared: ComparedEntry,
  known: Known | undefined,
  context: Context,
  { automatic, waiting, others, said, returned }: Decisions,
): void {
  const entry = known?.isAbsent ? withRestoration(compared, known, context, returned) : compared;
  const { state, key, content, hash } = entry;
  if (state === 'new') (context.autoPublish ? automatic : waiting).push(entry);
  else if (state === 'doubtful') waiting.push(entry);
  else if (state === 'changed' && entry.series)
    (isAutomaticSeries(entry, context) ? automatic : waiting).push(entry);
  else if (state === 'changed' && known?.event) {
    const parts = split(entry, known, context);
    automatic.push(...parts.automatic);
    waiting.push(...parts.waiting);
  } else {
    others.push(entry);
    if (state === 'same' && known?.event && content && known.hash !== hash) said.push({ key, content, hash });
  }
}

/** A series changes as a whole: by itself if it is cancelled, or if nobody has changed here what the source changes. */
function isAutomaticSeries(entry: ComparedEntry, { autoPublish, isEdited }: Context): boolean {
  const { change, series } = entry;
  const isCancelled =
    change?.status === 'cancelled' && Object.keys(change).length === 1 && series?.change === null;
  return isCancelled || (autoPublish && !isEdited(entry));
}

/** The entry of an event that was cancelled because it was missing: the event takes place again. */
function withRestoration(
  entry: ComparedEntry,
  { event, key }: Known,
  { now }: Context,
  returned: string[],
): ComparedEntry {
  if (!event || entry.knownId === null || event.endAt <= now) return entry;
  const isRestored = event.status === 'cancelled' && entry.content?.status === 'scheduled';
  if (!isRestored) {
    returned.push(key);
    return entry;
  }
  const change = { ...entry.change, status: 'scheduled' as const };
  const fields = tryChange(event, change);
  return fields ? { ...entry, state: 'changed', change, event: toEntered(fields), isAbsent: false } : entry;
}

/**
 * Divides what an entry changes. A cancellation and a restoration apply by themselves; so do, of a source that publishes by itself,
 * fields that nobody has changed here. A newer value of a field that was changed here waits for the person.
 */
function split(
  entry: ComparedEntry,
  { event, content: said }: Known,
  { autoPublish }: Context,
): { automatic: ComparedEntry[]; waiting: ComparedEntry[] } {
  const change = entry.change ?? {};
  const edited = event && said ? editedFields(event, said) : [];
  const isAutomatic = (name: string) =>
    name === 'status'
      ? autoPublish || change.status === 'cancelled' || entry.isAbsent === false
      : autoPublish && !edited.includes(name as keyof EntryContent);
  const names = Object.keys(change);
  const own = names.filter(isAutomatic);
  if (own.length === names.length) return { automatic: [entry], waiting: [] };
  if (own.length === 0 || !event) return { automatic: [], waiting: [entry] };
  const [applied, rest] = [own, names.filter((name) => !isAutomatic(name))].map((some) => pick(change, some));
  const changed = tryChange(event, applied ?? {});
  const { isAbsent: __, ...withoutAbsence } = entry;
  return {
    automatic: [
      {
        ...entry,
        change: applied ?? {},
        event: changed && toEntered(changed),
        // Without a hash: what waits is compared again.
        content: said && { ...said, ...pick(entry.content ?? {}, own) },
        hash: null,
      },
    ],
    waiting: [{ ...withoutAbsence, change: rest ?? {} }],
  };
}

const pick = <T extends object>(from: T, names: string[]): T =>
  Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name))) as T;

/** Cancels an event that its source has no more. What the source said stays: it is compared with when the entry returns. */
function toCancellation({ key, event, content, hash }: Known): ComparedEntry | null {
  if (!event) return null;
  const change: EventChange = { status: 'cancelled' };
  const fields = tryChange(event, change);
  return (
    fields && {
      ...{
        state: 'changed',
        key,
        line: 0,
        uid: '',
        knownId: event.id,
        content,
        hash,
        change,
        isAbsent: true,
      },
      ...{ event: toEntered(fields), series: null, doubts: [], duplicates: [], reason: isMissing },
    }
  );
}

const isMissing = 'is missing in the calendar';
