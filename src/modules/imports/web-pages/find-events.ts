/** Finds the events in the JSON-LD of a page: in lists, graphs, and within other things. */
import { mapInTurns } from '#base';
import { isNode, isReference, type Node, type References, textIn, typesOf, valuesOf } from './json-ld.ts';

/** `parent`: the event that it is part of; null without one. */
export type FoundEvent = { node: Node; parent: Node | null; line: number };

export type Json = { line: number; value: unknown };

const maxDepth = 40;
/** Objects and lists of a page. */
const maxNodes = 100_000;
const subEvents = ['subEvent', 'subEvents', 'event', 'events'];
/** Subtypes of Event whose names do not end so. */
const others = new Set(['Event', 'Festival', 'Hackathon', 'CourseInstance', 'EventSeries']);

const isEvent = (node: Node): boolean =>
  typesOf(node).some((type) => others.has(type) || /^[A-Z]\w{0,40}Event$/.test(type));

/** A series is its dates, if it has some. */
const isOnlySeries = (node: Node): boolean =>
  typesOf(node).includes('EventSeries') && subEvents.some((name) => valuesOf(node[name]).some(isNode));

type Visit = { value: unknown; parent: Node | null; line: number; depth: number };
export type Found = { events: FoundEvent[]; references: References };

/**
 * Visits the objects in turns of the event loop.
 * @returns the events in the order of the page, and the objects that others refer to
 */
export async function findEvents(scripts: Json[]): Promise<Found> {
  const events: FoundEvent[] = [];
  const references = new Map<string, Node>();
  await mapInTurns(visits(scripts), ({ value, parent, line }) => {
    if (!isNode(value)) return;
    const id = textIn(value, '@id');
    if (id !== '' && !isReference(value) && !references.has(id)) references.set(id, value);
    if (isEvent(value) && !isOnlySeries(value)) events.push({ node: value, parent, line });
  });
  return { events, references };
}

/** The objects and lists, in the order in which they are written. */
function* visits(scripts: Json[]): Generator<Visit> {
  const open: Visit[] = scripts.map(({ line, value }) => ({ value, line, parent: null, depth: 0 })).reverse();
  let visited = 0;
  for (let visit = open.pop(); visit && visited < maxNodes; visit = open.pop()) {
    if (typeof visit.value !== 'object' || visit.value === null || visit.depth > maxDepth) continue;
    visited++;
    yield visit;
    const inner = innerOf(visit);
    // The last one is visited first. Spreading a long list into push would exceed the stack.
    for (let i = inner.length - 1; i >= 0; i--) {
      const next = inner[i];
      if (next) open.push(next);
    }
  }
}

/** Of an event, the events that are part of it. */
function innerOf({ value, parent, line, depth }: Visit): Visit[] {
  const values = (within: unknown[], parent: Node | null) =>
    within
      .filter((one) => typeof one === 'object' && one !== null)
      .map((one) => ({ value: one, parent, line, depth: depth + 1 }));
  if (!isNode(value)) return values(value as unknown[], parent);
  if (isEvent(value))
    return values(
      subEvents.map((name) => value[name]),
      value,
    );
  const { superEvent } = value;
  return values(
    Object.values(value).filter((one) => one !== superEvent),
    null,
  );
}
