/** Decides what a source changes by itself, and what waits for the person. */

import type { EventChange } from '../../events/schemas.ts';
import type { SourceFindings } from '../../events/source-imports.ts';
import {
  type ComparedEntry,
  editedFields,
  type ReviewedSeries,
  type SeriesEntry,
  tryChange,
} from '../compare-entries.ts';
import { enteredSeries } from '../compare-series.ts';
import type { EntryContent } from '../entry-content.ts';
import type { SaidSeries } from '../series-change.ts';
import { statusAlone } from '../status-alone.ts';
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

/** `edited`: entries that change of a series what a person has changed here. */
type Context = { autoPublish: boolean; edited: Set<ComparedEntry> };

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
  const entry = known?.isAbsent ? withRestoration(compared, known, returned) : compared;
  const { state, key, content, hash } = entry;
  if (state === 'new') (context.autoPublish ? automatic : waiting).push(entry);
  else if (state === 'doubtful') waiting.push(entry);
  else if (state === 'changed' && (entry.series || known?.event)) {
    const { series } = entry;
    // Edits are those of which the calendar alone makes something else: a restoration is no word of it.
    const isRestAutomatic = context.autoPublish && !context.edited.has(compared);
    const parts = series
      ? splitSeries({ ...entry, series }, known, { ...context, isRestAutomatic })
      : split(entry, known as Known, context);
    automatic.push(...parts.automatic);
    waiting.push(...parts.waiting);
  } else {
    others.push(entry);
    if (state === 'same' && known?.event && content && known.hash !== hash) said.push({ key, content, hash });
  }
}

/** The entry of an event or a series that was cancelled because it was missing: it takes place again. */
function withRestoration(entry: ComparedEntry, known: Known, returned: string[]): ComparedEntry {
  const { event, series, coming, key } = known;
  // An entry of one date is not the series.
  const isGone = series
    ? series.length === 0 || entry.series?.onlyDate != null
    : !event || entry.knownId === null;
  if (isGone || coming.length === 0) return entry;
  const isCancelled = series
    ? series.every(({ status }) => status === 'ended')
    : event?.status === 'cancelled';
  if (!isCancelled || entry.content?.status !== 'scheduled') {
    returned.push(key);
    return entry;
  }
  const change = { ...entry.change, status: 'scheduled' as const };
  if (series) {
    const ofSeries = entry.series ?? reviewedSeries(known);
    const after = entry.event && { ...entry.event, status: 'scheduled' as const };
    return { ...entry, state: 'changed', change, event: after, series: ofSeries, isAbsent: false };
  }
  const fields = event && tryChange(event, change);
  return fields ? { ...entry, state: 'changed', change, event: toEntered(fields), isAbsent: false } : entry;
}

/** A known series of which nothing but the status changes. */
const reviewedSeries = ({ content }: Known): ReviewedSeries | null =>
  content && {
    ...(content as SaidSeries).series,
    ...{ next: [], isKnown: true, joins: false, splits: null, change: null, onlyDate: null },
  };

type Divided = Pick<Decisions, 'automatic' | 'waiting'>;

/**
 * Divides what an entry changes of a series. A cancellation and a restoration apply by themselves; the rest changes the series as a
 * whole, by itself if no person has changed here what the source changes.
 */
function splitSeries(
  entry: SeriesEntry,
  known: Known | undefined,
  { autoPublish, isRestAutomatic }: Context & { isRestAutomatic: boolean },
): Divided {
  const { status, ...fields } = entry.change ?? {};
  const isStatusAutomatic =
    status !== undefined && (autoPublish || status === 'cancelled' || entry.isAbsent === false);
  const hasRest = !entry.series.isKnown || Object.keys(fields).length > 0 || entry.series.change !== null;
  const isWhole = hasRest ? isRestAutomatic : isStatusAutomatic;
  if (isWhole) return { automatic: [entry], waiting: [] };
  if (!isStatusAutomatic || !known?.content) return { automatic: [], waiting: [entry] };
  const { isAbsent: _, ...withoutAbsence } = entry;
  return {
    automatic: [statusAlone(entry, known.content)],
    waiting: [{ ...withoutAbsence, change: Object.keys(fields).length > 0 ? fields : null }],
  };
}

/**
 * Divides what an entry changes. A cancellation and a restoration apply by themselves; so do, of a source that publishes by itself,
 * fields that no person has changed here. A newer value of a field that was changed here waits for the person.
 */
function split(entry: ComparedEntry, { event, content: said }: Known, { autoPublish }: Context): Divided {
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

/** Cancels what its source has no more. What the source said stays: it is compared with when the entry returns. */
function toCancellation(known: Known): ComparedEntry | null {
  const { key, event, series, content, hash } = known;
  const change: EventChange = { status: 'cancelled' };
  const fields = event && tryChange(event, change);
  const last = series?.at(-1);
  const after = last ? { ...enteredSeries(last), status: 'cancelled' as const } : fields && toEntered(fields);
  return (
    after && {
      ...{ state: 'changed', key, line: 0, uid: '', knownId: event?.id ?? null, content, hash },
      ...{ change, isAbsent: true, event: after, series: last ? reviewedSeries(known) : null },
      ...{ doubts: [], duplicates: [], reason: isMissing },
    }
  );
}

const isMissing = 'is missing in the calendar';
