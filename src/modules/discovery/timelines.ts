/**
 * Lists by words, category or time alone. Of each filter that is asked for, a timeline is kept in memory: how many of
 * its events begin on each day, and the events of the days that pages were taken from. Totals are sums of days, and a
 * page far down is found by counting days, not events. What the database says has changed is read again before it is
 * used (changes.ts), so both are exact.
 */

import type { ChangeLog } from '../../cache/change-log.ts';
import { createLoader } from '../../db/batching.ts';
import type { Database } from '../../db/client.ts';
import { dayOf } from '../events/listing-keys.ts';
import { type DayCounts, type Known, type Page, pageOf, type Slice, type Span } from './timeline-page.ts';
import type { DayCount, Days, Entry, Filter, Grade } from './timeline-queries.ts';
import * as queries from './timeline-queries.ts';

/** Good as of a revision of `changes`. */
type Good<T> = { revision: number; value: T };

type Timeline = {
  key: string;
  filter: Filter;
  isGraded: boolean;
  counts: Good<Map<Grade, DayCounts>> | null;
  /** By `slot(grade, day)`, in the order of lists. */
  entries: Map<number, Good<Entry[]>>;
  running: Map<number, Good<Entry[]>>;
};

const maxTimelines = 1_000;
/** Days of entries in memory, of one timeline. */
const maxDays = 2_000;
/** Of more changed days than this, all are counted anew. */
const maxRecounted = 60;

const gradesOf = ({ isGraded }: Timeline): readonly Grade[] => (isGraded ? queries.grades : [0]);
const slot = (grade: Grade, day: number) => day * queries.grades.length + grade;
const none: DayCounts = { days: [], counts: [] };

export function openTimelines(db: Database, changes: ChangeLog) {
  const kept = new Map<string, Timeline>();
  /** Few at once, since each may be heavy; those who wait for the same wait for one. */
  const load = createLoader<Job, void>(async ([job]) => [await job?.run()], {
    keyOf: ({ key }) => key,
    concurrency: 4,
    maxBatchSize: 1,
  });

  function timelineOf(filter: Filter, isGraded: boolean): Timeline {
    const key = JSON.stringify([isGraded, filter.category, filter.search?.anywhere]);
    const known = kept.get(key);
    const empty = { key, filter, isGraded, counts: null, entries: new Map(), running: new Map() };
    const timeline = known ?? empty;
    // The one that was used longest ago makes room.
    kept.delete(key);
    kept.set(key, timeline);
    if (kept.size > maxTimelines) kept.delete(kept.keys().next().value ?? key);
    return timeline;
  }

  const isCounted = ({ counts }: Timeline, asOf: number): boolean =>
    counts !== null && (counts.revision >= asOf || changes.daysSince(counts.revision)?.length === 0);

  async function count(timeline: Timeline): Promise<void> {
    const { filter, isGraded, counts } = timeline;
    const { revision } = changes;
    const changed = counts && changes.daysSince(counts.revision);
    const value =
      counts && changed && changed.length <= maxRecounted
        ? recounted(counts.value, changed, await queries.recountDays(db, filter, isGraded, changed))
        : recounted(new Map(), [], await queries.countDays(db, filter, isGraded));
    // Whoever else counted in the meantime may have seen more.
    if (timeline.counts === counts) timeline.counts = { revision, value };
  }

  async function readDays(timeline: Timeline, days: Days): Promise<void> {
    const { filter, isGraded, entries } = timeline;
    const { revision } = changes;
    const byWords = filter.search !== null && isRarerThanDays(timeline, days);
    const found = await queries.listDays(db, filter, isGraded, days, byWords);
    const bySlot = Map.groupBy(found, ({ grade, start }) => slot(grade, dayOf(start)));
    if (entries.size > maxDays) entries.clear();
    for (const grade of days.grade === null ? gradesOf(timeline) : [days.grade]) {
      for (const day of daysWithin(timeline.counts?.value.get(grade) ?? none, days)) {
        const at = slot(grade, day);
        setNewer(entries, at, { revision, value: bySlot.get(at) ?? [] });
      }
    }
  }

  async function readRunning({ filter, isGraded, running }: Timeline, day: number): Promise<void> {
    const { revision } = changes;
    if (running.size > maxDays) running.clear();
    setNewer(running, day, { revision, value: await queries.listRunning(db, filter, isGraded, day) });
  }

  /** By what is known of the filter and of all events; before all events were counted, words are taken to be rare. */
  function isRarerThanDays(timeline: Timeline, { first, last }: Days): boolean {
    const all = kept.get(everything)?.counts?.value;
    if (!all || !timeline.counts) return true;
    return sumOf(timeline.counts.value) < sumOf(all, first, last);
  }

  /** What of a timeline is good for a request that looked at the changes at `asOf`. */
  function knownOf(timeline: Timeline, asOf: number): Known {
    const good = <T>(kept: Good<T> | undefined, changedAt: number) =>
      kept && kept.revision >= Math.min(changedAt, asOf) ? kept.value : undefined;
    return {
      grades: gradesOf(timeline),
      counts: (grade) => timeline.counts?.value.get(grade) ?? none,
      entries: (grade, day) => good(timeline.entries.get(slot(grade, day)), changes.ofDay(day)),
      running: (day) => good(timeline.running.get(day), changes.intoDay(day)),
    };
  }

  /** `changes` must have caught up. */
  return async (
    filter: Filter,
    isGraded: boolean,
    span: Span,
    hidden: Entry[],
    slice: Slice,
  ): Promise<Page> => {
    const asOf = changes.revision;
    const timeline = timelineOf(filter, isGraded);
    const known = knownOf(timeline, asOf);
    const about = (what: string, run: () => Promise<void>) => load({ key: `${what} ${timeline.key}`, run });
    for (;;) {
      if (!isCounted(timeline, asOf)) {
        await about('count', async () => void (isCounted(timeline, asOf) || (await count(timeline))));
        continue;
      }
      const page = pageOf(known, span, hidden, slice);
      if ('ids' in page) return page;
      await Promise.all([
        ...page.days.map((days) => about(`days ${JSON.stringify(days)}`, () => readDays(timeline, days))),
        ...page.running.map((day) => about(`running ${day}`, () => readRunning(timeline, day))),
      ]);
    }
  };
}

type Job = { key: string; run: () => Promise<void> };

/** The key of the timeline of all events. */
const everything = JSON.stringify([false, null, undefined]);

function setNewer<T>(map: Map<number, Good<T>>, key: number, good: Good<T>): void {
  if ((map.get(key)?.revision ?? 0) <= good.revision) map.set(key, good);
}

/** The counts with some days in place of what they had. */
function recounted(
  before: Map<Grade, DayCounts>,
  changed: number[],
  rows: DayCount[],
): Map<Grade, DayCounts> {
  const gone = new Set(changed);
  const byGrade = Map.groupBy(rows, ({ grade }) => grade);
  return new Map(
    queries.grades.map((grade) => {
      const { days, counts } = before.get(grade) ?? none;
      const kept = days.map((day, i) => ({ day, n: counts[i] ?? 0 })).filter(({ day }) => !gone.has(day));
      const all = [...kept, ...(byGrade.get(grade) ?? [])].sort((a, b) => a.day - b.day);
      return [grade, { days: all.map(({ day }) => day), counts: all.map(({ n }) => n) }];
    }),
  );
}

/** Those that something begins on, and the two ends: the days that pages ask for. */
const daysWithin = ({ days }: DayCounts, { first, last }: Days): Set<number> =>
  new Set([first, last, ...days.filter((day) => day > first && day < last)]);

function sumOf(byGrade: Map<Grade, DayCounts>, first = -Infinity, last = Infinity): number {
  let sum = 0;
  for (const { days, counts } of byGrade.values()) {
    days.forEach((day, i) => {
      if (day >= first && day <= last) sum += counts[i] ?? 0;
    });
  }
  return sum;
}
