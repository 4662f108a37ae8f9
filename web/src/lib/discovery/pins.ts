/** Pins of events on a drawing: events at nearly the same place share one. */
import type { EventCluster } from '@potluck/client';
import { categoryEmoji } from '#lib/discovery/category-name.ts';
import { dayOf, formatNumber } from '#lib/language/format.ts';
import { formatStart, formatWeekday } from '#lib/language/list-times.ts';
import type { ShownEvent } from './groups.ts';
import { type Box, type Drawing, fitBox, scaleBox } from './mercator.ts';
import { mergeTouching } from './merge-touching.ts';

export type Pin = {
  events: [ShownEvent, ...ShownEvent[]];
  x: number;
  y: number;
  text: string;
  width: number;
};

/** In units of the drawing. */
export const pinHeight = 34;
const gap = 4;
/** The base map has nothing more to show in a smaller box, in degrees. */
const minDegrees = 0.2;
const margin = 1.3;

/** A cluster fills this part of the map that it leads to; a single place gets a box of this size in degrees. */
export const [clusterMargin, leastDegrees] = [1.4, 0.02];

export const boxOfCluster = ({ bbox: [west = 0, south = 0, east = 0, north = 0] }: EventCluster): Box => ({
  west,
  south,
  east,
  north,
});

/** The drawing of all events. */
export function drawingOf(events: ShownEvent[], width: number, height: number): Drawing {
  const lats = events.map(({ location }) => location.lat);
  const lngs = events.map(({ location }) => location.lng);
  const box: Box = {
    west: Math.min(...lngs),
    south: Math.min(...lats),
    east: Math.max(...lngs),
    north: Math.max(...lats),
  };
  return fitBox(scaleBox(box, margin, minDegrees), width, height);
}

/** The pins of events, which do not touch: those that would become one. */
export function pinsOf(events: ShownEvent[], drawing: Drawing): Pin[] {
  let pins = events.map((event) =>
    pinAt([event], drawing.toX(event.location.lng), drawing.toY(event.location.lat)),
  );
  for (let isMerged = true; isMerged; ) {
    const apart = mergeTouching(pins, touch, merge);
    isMerged = apart.length < pins.length;
    pins = apart;
  }
  return pins;
}

const merge = (a: Pin, b: Pin): Pin => pinAt([...a.events, ...b.events], a.x, a.y);

const touch = (a: Pin, b: Pin): boolean =>
  Math.abs(a.x - b.x) < (a.width + b.width) / 2 + gap && Math.abs(a.y - b.y) < pinHeight + gap;

function pinAt(events: Pin['events'], x: number, y: number): Pin {
  const text = events.length > 1 ? formatNumber(events.length) : textOfPin(events[0]);
  return { events, x, y, text, width: events.length > 1 ? pinHeight : widthOf(text) };
}

/** The width of a pin with a text, by the width of letters on average. */
export const widthOf = (text: string): number => 24 + [...text].length * 8.2;

/** The category of an event, and the time today, or the weekday. */
export function textOfPin(event: ShownEvent): string {
  const isToday = dayOf(event.startAt, event.timezone) === dayOf(Date.now(), event.timezone);
  const time =
    isToday && !event.allDay ? formatStart({ ...event, endAt: event.startAt }) : formatWeekday(event);
  return `${categoryEmoji(event.category.slug)} ${time}`;
}
