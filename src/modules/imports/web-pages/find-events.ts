/** Finds the events in the JSON-LD of a page: in lists, graphs, and within other things. */
import { isNode, type Node, type References, textIn, typesOf, valuesOf } from './json-ld.ts';

/** `parent`: the event that it is part of; null without one. */
export type FoundEvent = { node: Node; parent: Node | null; line: number };

export type Json = { line: number; value: unknown };

const maxDepth = 40;
/** Objects and lists of a page. */
const maxNodes = 200_000;
const subEvents = ['subEvent', 'subEvents', 'event', 'events'];
/** Subtypes of Event whose names do not end so. */
const others = new Set(['Event', 'Festival', 'Hackathon', 'CourseInstance', 'EventSeries']);

const isEvent = (node: Node): boolean =>
  typesOf(node).some((type) => others.has(type) || /^[A-Z]\w{0,40}Event$/.test(type));

/** A series is its dates, if it has some. */
const isOnlySeries = (node: Node): boolean =>
  typesOf(node).includes('EventSeries') && subEvents.some((name) => valuesOf(node[name]).some(isNode));

/** @returns the events in the order of the page, and the objects that others refer to */
export function findEvents(scripts: Json[]): { events: FoundEvent[]; references: References } {
  const events: FoundEvent[] = [];
  const references = new Map<string, Node>();
  let visited = 0;
  type Visit = { value: unknown; parent: Node | null; line: number; depth: number };
  const open: Visit[] = scripts.map(({ line, value }) => ({ value, line, parent: null, depth: 0 })).reverse();
  for (let visit = open.pop(); visit && visited < maxNodes; visit = open.pop()) {
    const { value, parent, line, depth } = visit;
    if (typeof value !== 'object' || value === null || depth > maxDepth) continue;
    visited++;
    const inner: Visit[] = [];
    const add = (values: unknown[], within: Node | null) => {
      for (const one of values)
        if (typeof one === 'object') inner.push({ value: one, parent: within, line, depth: depth + 1 });
    };
    if (!isNode(value)) add(value as unknown[], parent);
    else {
      const id = textIn(value, '@id');
      if (id !== '' && Object.keys(value).length > 2 && !references.has(id)) references.set(id, value);
      if (!isEvent(value))
        add(
          Object.entries(value).flatMap(([name, one]) => (name === 'superEvent' ? [] : [one])),
          null,
        );
      else {
        if (!isOnlySeries(value)) events.push({ node: value, parent, line });
        add(
          subEvents.map((name) => value[name]),
          value,
        );
      }
    }
    // The last one is visited first. Spreading a long list into push would exceed the stack.
    for (let i = inner.length - 1; i >= 0; i--) {
      const next = inner[i];
      if (next) open.push(next);
    }
  }
  return { events, references };
}
