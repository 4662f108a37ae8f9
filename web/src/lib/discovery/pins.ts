/** Pins of events on a drawing: events at nearly the same place share one. */
import type { EventCluster } from '@potluck/client';
import { categoryEmoji } from '#lib/discovery/category-name.ts';
import { dayOf, daysBetween, formatNumber } from '#lib/language/format.ts';
import { formatStart, formatWeekday } from '#lib/language/list-times.ts';
import { formatShortDay } from '#lib/language/short-times.ts';
import { type Steps, valueAt } from '#lib/map/map-scale.ts';
import { type Box, type Drawing, fitBox, scaleBox, uniteBoxes } from '#lib/map/mercator.ts';
import { mergeTouching } from '#lib/map/merge-touching.ts';
import type { ShownEvent } from './groups.ts';
import { leastMiddle, manyEvents, middleMargin, middleOf } from './middle.ts';

/** What a pin shows of an event. */
export type PinEvent = Pick<
  ShownEvent,
  'id' | 'title' | 'category' | 'location' | 'startAt' | 'endAt' | 'timezone' | 'allDay'
>;

/** `text`: of a single event its category and when it is; of several their `count`, with the category if all have the same. */
export type PinFace = { text: string; count: number };

export type Pin = PinFace & {
  events: [ShownEvent, ...ShownEvent[]];
  x: number;
  y: number;
  width: number;
  height: number;
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
  Math.abs(a.x - b.x) < (a.width + b.width) / 2 + gap &&
  Math.abs(a.y - b.y) < (a.height + b.height) / 2 + gap;

function pinAt(events: Pin['events'], x: number, y: number): Pin {
  const count = events.length;
  const text = count > 1 ? textOfCluster(events, count) : textOfPin(events[0]);
  const height = heightOf(count, pinHeight);
  return { events, count, text, x, y, height, width: widthOf(text, height) };
}

/** What the pin of several events is higher than that of one, by their number. */
const growth: Steps = [0, [5, 4], [10, 8], [20, 14], [50, 20]];
export const heightOf = (count: number, least: number): number => least + valueAt(growth, count);

/** The width of a pin, by the width of letters on average; a number alone is round. */
export const widthOf = (text: string, height: number): number =>
  Math.max(24 + [...text].length * 8.2, height);

/** @param events those that are known of `count` */
export function textOfCluster(events: PinEvent[], count: number): string {
  const [sign = '', ...others] = new Set(events.map(({ category }) => categoryEmoji(category.slug)));
  const isOfOneKind = events.length === count && others.length === 0;
  return isOfOneKind ? `${sign} ${formatNumber(count)}` : formatNumber(count);
}

/** The category of an event, and its time today, its weekday in the next six days, or its date. */
export const textOfPin = (event: PinEvent): string =>
  `${categoryEmoji(event.category.slug)} ${whenOf(event)}`;

function whenOf(event: PinEvent): string {
  const { startAt, timezone } = event;
  const days = daysBetween(dayOf(Date.now(), timezone), dayOf(startAt, timezone));
  if (days === 0 && !event.allDay) return formatStart({ ...event, endAt: startAt });
  // After a week, a weekday would be the wrong one for most readers.
  return days >= 0 && days < 7 ? formatWeekday(event) : formatShortDay(startAt, timezone);
}
