/**
 * Lists by words, category and time. Each filter has a cached timeline: the number of its events that begin on each day,
 * and the events of the days that pages needed. A total is a sum of days, and a high page number is found by counting
 * days. Days that the change log names are read again before they are used, so pages and totals are exact.
 */

import type { ChangeLog } from '../../cache/change-log.ts';
import { createLoader } from '../../db/batching.ts';
import type { Database } from '../../db/client.ts';
import { dayOf } from '../events/listing-keys.ts';
import { type DayCounts, type Known, type Page, pageOf, type Slice, type Span } from './timeline-page.ts';
import type { DayCount, Days, Entry, Filter, Grade } from './timeline-queries.ts';
import * as queries from './timeline-queries.ts';

/** A value with the revision of the change log at which it was read. */
type Versioned<T> = { revision: number; value: T };

type Timeline = {
  key: string;
  filter: Filter;
  isGraded: boolean;
  counts: Versioned<Map<Grade, DayCounts>> | null;
  /** By `slot(grade, day)`; entries are sorted by start and id. */
  entries: Map<number, Versioned<Entry[]>>;
  running: Map<number, Versioned<Entry[]>>;
};

const maxTimelines = 1_000;
/** Cached days of one timeline. */
const maxDays = 2_000;
/** If more days changed, all days are counted again. */
const maxRecounted = 60;

const gradesOf = ({ isGraded }: Timeline): readonly Grade[] => (isGraded ? queries.grades : [0]);
const slot = (grade: Grade, day: number) => day * queries.grades.length + grade;
const none: DayCounts = { days: [], counts: [] };

/** Creates the timelines. The returned function computes a page of a timeline. */
export function createTimelines(db: Database, changes: ChangeLog) {
  const cached = new Map<string, Timeline>();
  /** Jobs may be heavy, so few run at the same time. Requests that need the same job share it. */
  const load = createLoader<Job, void>(async ([job]) => [await job?.run()], {
    keyOf: ({ key }) => key,
    concurrency: 4,
    maxBatchSize: 1,
  });

  function timelineOf(filter: Filter, isGraded: boolean): Timeline {
    const key = JSON.stringify([isGraded, filter.category, filter.search?.anywhere]);
    const known = cached.get(key);
    const empty = { key, filter, isGraded, counts: null, entries: new Map(), running: new Map() };
    const timeline = known ?? empty;
    // Removes the least recently used timeline.
    cached.delete(key);
    cached.set(key, timeline);
    if (cached.size > maxTimelines) cached.delete(cached.keys().next().value ?? key);
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
    // A concurrent count may be newer.
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

  /** Compares the cached counts of the filter and of all events. Before all events are counted, words count as rare. */
  function isRarerThanDays(timeline: Timeline, { first, last }: Days): boolean {
    const all = cached.get(everything)?.counts?.value;
    if (!all || !timeline.counts) return true;
    return sumOf(timeline.counts.value) < sumOf(all, first, last);
  }

  /** The part of a timeline that is current for a request that read the change log at revision `asOf`. */
  function knownOf(timeline: Timeline, asOf: number): Known {
    const current = <T>(cached: Versioned<T> | undefined, changedAt: number) =>
      cached && cached.revision >= Math.min(changedAt, asOf) ? cached.value : undefined;
    return {
      grades: gradesOf(timeline),
      counts: (grade) => timeline.counts?.value.get(grade) ?? none,
      entries: (grade, day) => current(timeline.entries.get(slot(grade, day)), changes.ofDay(day)),
      running: (day) => current(timeline.running.get(day), changes.intoDay(day)),
    };
  }

  /** Requires that the request has read the change log. */
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
    const runJob = (name: string, run: () => Promise<void>) => load({ key: `${name} ${timeline.key}`, run });
    for (;;) {
      if (!isCounted(timeline, asOf)) {
        await runJob('count', async () => void (isCounted(timeline, asOf) || (await count(timeline))));
        continue;
      }
      const page = pageOf(known, span, hidden, slice);
      if ('ids' in page) return page;
      await Promise.all([
        ...page.days.map((days) => runJob(`days ${JSON.stringify(days)}`, () => readDays(timeline, days))),
        ...page.running.map((day) => runJob(`running ${day}`, () => readRunning(timeline, day))),
      ]);
    }
  };
}

type Job = { key: string; run: () => Promise<void> };

/** The key of the timeline of all events. */
const everything = JSON.stringify([false, null, undefined]);

function setNewer<T>(map: Map<number, Versioned<T>>, key: number, read: Versioned<T>): void {
  if ((map.get(key)?.revision ?? 0) <= read.revision) map.set(key, read);
}

/** The counts, with new counts of the changed days. */
function recounted(
  before: Map<Grade, DayCounts>,
  changed: number[],
  rows: DayCount[],
): Map<Grade, DayCounts> {
  const replaced = new Set(changed);
  const byGrade = Map.groupBy(rows, ({ grade }) => grade);
  return new Map(
    queries.grades.map((grade) => {
      const { days, counts } = before.get(grade) ?? none;
      const unchanged = days
        .map((day, i) => ({ day, n: counts[i] ?? 0 }))
        .filter(({ day }) => !replaced.has(day));
      const all = [...unchanged, ...(byGrade.get(grade) ?? [])].sort((a, b) => a.day - b.day);
      return [grade, { days: all.map(({ day }) => day), counts: all.map(({ n }) => n) }];
    }),
  );
}

/** The days of a range that pages may need: the first, the last, and those with events. */
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
