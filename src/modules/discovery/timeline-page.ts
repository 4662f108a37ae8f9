/** Computes a page and the total of a timeline from cached days, or lists the days to read first. Synchronous. */
import { dayOf } from '../events/listing-keys.ts';
import type { Days, Entry, Grade } from './timeline-queries.ts';

/** In ms: events that end after `from` and begin by `until`. */
export type Span = { from: number | null; until: number | null };
export type Slice = { page: number; limit: number };

/** The days on which events of a grade begin, ascending, and the number of events of each day. */
export type DayCounts = { days: number[]; counts: number[] };

/** The cached part of a timeline; undefined for days that must be read first. */
export type Known = {
  grades: readonly Grade[];
  counts(grade: Grade): DayCounts;
  entries(grade: Grade, day: number): Entry[] | undefined;
  /** Events of all grades that began before the day and end after its start. */
  running(day: number): Entry[] | undefined;
};
export type Missing = { days: Days[]; running: number[] };
export type Page = { ids: string[]; total: number };

/** A part of the list: the number of its entries, and the entries or the day that has them. */
type Part = { n: number; entries: Entry[] } | { n: number; day: number };

/**
 * Computes a page in the order of grade, start and id. Filters the entries of the first and last day of the span, and
 * adds up the counts of the days between.
 * @param hidden entries of the timeline to leave out
 */
export function pageOf(known: Known, span: Span, hidden: Entry[], { page, limit }: Slice): Page | Missing {
  const missing = missingEdges(known, span);
  if (missing.days.length + missing.running.length > 0) return missing;
  const left = leftOut(hidden);
  const skip = (page - 1) * limit;
  const ids: string[] = [];
  let total = 0;
  for (const grade of known.grades) {
    const needed: number[] = [];
    for (const part of partsOf(known, grade, span, left)) {
      const isOnPage = skip < total + part.n && total < skip + limit;
      // The entries of a day may be newer than its count, so their number replaces the count.
      const day = 'day' in part && isOnPage ? known.entries(grade, part.day) : undefined;
      const entries = 'day' in part ? day?.filter(left.isShown) : part.entries;
      if ('day' in part && isOnPage && !entries) needed.push(part.day);
      const [begin, end] = [Math.max(skip - total, 0), Math.max(skip + limit - total, 0)];
      ids.push(...(entries ?? []).slice(begin, end).map(({ id }) => id));
      total += entries?.length ?? part.n;
    }
    if (needed.length > 0)
      missing.days.push({ first: Math.min(...needed), last: Math.max(...needed), grade });
  }
  return missing.days.length > 0 ? missing : { ids, total };
}

/** The uncached days of the bounds of a span, and the day whose running events are uncached. */
function missingEdges(known: Known, { from, until }: Span): Missing {
  const edges = new Set([from, until].filter((at) => at !== null).map(dayOf));
  const days = [...edges]
    .filter((day) => known.grades.some((grade) => !known.entries(grade, day)))
    .map((day) => ({ first: day, last: day, grade: null }));
  const running = from !== null && !known.running(dayOf(from)) ? [dayOf(from)] : [];
  return { days, running };
}

function* partsOf(known: Known, grade: Grade, { from, until }: Span, left: LeftOut): Generator<Part> {
  const [first, last] = [from === null ? -Infinity : dayOf(from), until === null ? Infinity : dayOf(until)];
  const within = (entries: Entry[] = []): Part => {
    const matching = entries.filter(
      (entry) =>
        entry.grade === grade &&
        entry.end > (from ?? -Infinity) &&
        entry.start <= (until ?? Infinity) &&
        left.isShown(entry),
    );
    return { n: matching.length, entries: matching };
  };
  if (from !== null) {
    yield within(known.running(first));
    yield within(known.entries(grade, first));
  }
  const { days, counts } = known.counts(grade);
  for (let i = 0; i < days.length; i++) {
    const day = days[i] as number;
    if (day > first && day < last) yield { n: (counts[i] as number) - left.countOf(grade, day), day };
  }
  if (until !== null && last > first) yield within(known.entries(grade, last));
}

type LeftOut = { isShown(entry: Entry): boolean; countOf(grade: Grade, day: number): number };

function leftOut(hidden: Entry[]): LeftOut {
  if (hidden.length === 0) return { isShown: () => true, countOf: () => 0 };
  const ids = new Set(hidden.map(({ id }) => id));
  const byDay = Map.groupBy(hidden, ({ grade, start }) => `${grade} ${dayOf(start)}`);
  return {
    isShown: ({ id }) => !ids.has(id),
    countOf: (grade, day) => byDay.get(`${grade} ${day}`)?.length ?? 0,
  };
}
