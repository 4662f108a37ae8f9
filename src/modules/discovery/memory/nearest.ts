/** The first events of a list by distance. */
import { capOf, hasBit, kmOfChord, type RecordSet, squaredChordTo, toPoint } from '#record-index';
import type { ListQuery } from '../event-query.ts';
import { isInSeries } from './collapse.ts';
import type { OverlayEvent } from './overlay.ts';
import type { Segment } from './segment.ts';
import { SeenSeries } from './series-columns.ts';

/** A list by distance has a centre. */
export type DistanceQuery = ListQuery & { circle: NonNullable<ListQuery['circle']> };

/** Rounded, so that computations in another order of operations give the same order of events at one place. */
const mmInKm = 1_000_000;
/** Radii are halved down to this, in km. */
const smallestRadius = 0.05;
/** The candidates are sorted when they are twice as many as wanted, but not more often than this. */
const minBuffered = 1_024;

/** `mm`: the distance to the centre. `rank`: in the order of start and id. */
type Candidate = { mm: number; rank: number; doc: number; event: OverlayEvent | null };

/**
 * Halves the circle as long as it has the first `wanted` events, so that few of the events of a city or of the world are compared.
 * Each circle takes a quarter of the time of the one before.
 */
export function smallestCircle(
  query: DistanceQuery,
  wanted: number,
  count: (query: DistanceQuery) => number,
): DistanceQuery {
  const half = { ...query, circle: { ...query.circle, radius: query.circle.radius / 2 } };
  return half.circle.radius < smallestRadius || count(half) < wanted
    ? query
    : smallestCircle(half, wanted, count);
}

/** @returns the ids of the nearest `wanted` of the documents and events, by distance, start and id; of each series one, if they collapse */
export function listNearest(
  segment: Segment,
  docs: Iterable<RecordSet>,
  events: OverlayEvent[],
  { circle, collapse }: DistanceQuery,
  wanted: number,
): string[] {
  const center = capOf(circle);
  const mmTo = (points: ArrayLike<number>, i: number) =>
    Math.round(kmOfChord(squaredChordTo(center, points, i)) * mmInKm);
  const { points, cellPlaces } = segment.data;
  let nearest: Candidate[] = [];
  let farthest = Number.POSITIVE_INFINITY;
  const add = (candidate: Candidate) => {
    if (candidate.mm > farthest) return;
    nearest.push(candidate);
    if (nearest.length < Math.max(2 * wanted, minBuffered)) return;
    nearest = nearest.sort(byDistance).slice(0, wanted);
    farthest = nearest.at(-1)?.mm ?? farthest;
  };
  const { series } = segment.data;
  const keys = new SeenSeries(series, 'series');
  const nearestOf = new Map<number | string, Candidate>();
  const addOf = (key: number | string, candidate: Candidate) => {
    const known = nearestOf.get(key);
    if (!known || byDistance(candidate, known) < 0) nearestOf.set(key, candidate);
  };
  for (const set of docs)
    for (const doc of set.from(0)) {
      const candidate = { mm: mmTo(points, cellPlaces[doc] as number), rank: doc, doc, event: null };
      if (collapse && series.docs.length > 0 && hasBit(series.docs, doc))
        addOf(keys.keyOfDoc(doc), candidate);
      else add(candidate);
    }
  events.forEach((event, i) => {
    // Between the document before the event and the one after it, in the order of the events.
    const rank = event.position - 1 + (i + 1) / (events.length + 1);
    const candidate = { mm: mmTo(toPoint(event), 0), rank, doc: -1, event };
    if (collapse && isInSeries(event)) addOf(keys.keyOfEvent(event), candidate);
    else add(candidate);
  });
  for (const candidate of nearestOf.values()) add(candidate);
  return nearest
    .sort(byDistance)
    .slice(0, wanted)
    .map(({ doc, event }) => event?.id ?? segment.idOf(doc));
}

const byDistance = (a: Candidate, b: Candidate): number => a.mm - b.mm || a.rank - b.rank;
