/** Pins of events on a drawing: events at nearly the same place share one. */
import type { EventCluster } from '@potluck/client';
import { categoryEmoji } from '#lib/discovery/category-name.ts';
import { dayOf, formatNumber } from '#lib/language/format.ts';
import { formatStart, formatWeekday } from '#lib/language/list-times.ts';
import type { ShownEvent } from './groups.ts';
import { type Box, type Drawing, fitBox, scaleBox, uniteBoxes } from './mercator.ts';
import { mergeTouching } from './merge-touching.ts';
import { leastMiddle, manyEvents, middleMargin, middleOf } from './middle.ts';

/** What a pin shows of an event. */
export type PinEvent = Pick<
  ShownEvent,
  'id' | 'title' | 'category' | 'location' | 'startAt' | 'endAt' | 'timezone' | 'allDay'
>;

/** `text`: of a single event its category and day; of several that of most of them, and their count as the `badge`. */
export type PinFace = { text: string; badge: string };

export type Pin = PinFace & {
  events: [ShownEvent, ...ShownEvent[]];
  x: number;
  y: number;
  width: number;
};

type Size = { width: number; height: number };

/** The map of a search as a drawing: small enough that its pins can be touched on a phone. */
export const mapSize = { width: 400, height: 320 };

/** The zoom, of a world of 256 pixels, of the drawing of a box. */
export const zoomOfDrawing = (box: Box): number =>
  Math.log2(fitBox(box, mapSize.width, mapSize.height).worldSize / 256);

/** In units of the drawing. */
export const pinHeight = 34;
const gap = 4;
/** The base map has nothing more to show in a smaller box, in degrees. */
const minDegrees = 0.2;

/** A cluster fills this part of the map that it leads to; a single place gets a box of this size in degrees. */
export const [clusterMargin, leastDegrees] = [1.4, 0.02];

export const boxOfCluster = ({ bbox: [west = 0, south = 0, east = 0, north = 0] }: EventCluster): Box => ({
  west,
  south,
  east,
  north,
});

/** The drawing of all events, or of the half of many events that is in their middle. */
export function drawingOf(events: ShownEvent[], size: Size, hasStreets: boolean): Drawing {
  const places = events.map(({ location: { lat, lng } }) => ({ lat, lng, count: 1 }));
  const isMany = places.length >= manyEvents;
  const shown = isMany ? middleOf(places, places.length / 2) : places;
  const boxes = shown.map(({ lat, lng }) => ({ west: lng, south: lat, east: lng, north: lat }));
  const least = isMany ? leastMiddle[hasStreets ? 'streets' : 'towns'] : minDegrees;
  const box = uniteBoxes(boxes) ?? { west: 0, south: 0, east: 0, north: 0 };
  return fitBox(scaleBox(box, middleMargin, least), size.width, size.height);
}

/** The pins of events in sight, which do not touch: those that would become one. No pin is cut by an edge. */
export function pinsOf(events: ShownEvent[], drawing: Drawing, { width, height }: Size): Pin[] {
  let pins = events.map((event) =>
    pinAt([event], drawing.toX(event.location.lng), drawing.toY(event.location.lat)),
  );
  for (let isMerged = true; isMerged; ) {
    const apart = mergeTouching(pins, touch, merge);
    isMerged = apart.length < pins.length;
    pins = apart;
  }
  const isInside = (at: number, room: number, length: number) => at >= room && at <= length - room;
  return pins.filter(
    (pin) => isInside(pin.x, pin.width / 2 + gap, width) && isInside(pin.y, pinHeight / 2 + gap, height),
  );
}

const merge = (a: Pin, b: Pin): Pin => pinAt([...a.events, ...b.events], a.x, a.y);

const touch = (a: Pin, b: Pin): boolean =>
  Math.abs(a.x - b.x) < (a.width + b.width) / 2 + gap && Math.abs(a.y - b.y) < pinHeight + gap;

function pinAt(events: Pin['events'], x: number, y: number): Pin {
  const face =
    events.length > 1
      ? { text: signOf(events), badge: formatNumber(events.length) }
      : { text: textOfPin(events[0]), badge: '' };
  return { ...face, events, x, y, width: widthOf(face, pinHeight) };
}

/** The width of a pin, by the width of letters on average; one with a badge is round. */
export const widthOf = ({ text, badge }: PinFace, height: number): number =>
  badge ? height : Math.max(24 + [...text].length * 8.2, height);

/** The category of most events; empty without events. */
export function signOf(events: PinEvent[]): string {
  const byCategory = [...Map.groupBy(events, ({ category }) => categoryEmoji(category.slug))];
  const [most] = byCategory.toSorted(([, a], [, b]) => b.length - a.length);
  return most?.[0] ?? '';
}

/** The category of an event, and the time today, or the weekday. */
export function textOfPin(event: PinEvent): string {
  const isToday = dayOf(event.startAt, event.timezone) === dayOf(Date.now(), event.timezone);
  const time =
    isToday && !event.allDay ? formatStart({ ...event, endAt: event.startAt }) : formatWeekday(event);
  return `${categoryEmoji(event.category.slug)} ${time}`;
}
