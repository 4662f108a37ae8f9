/** Pins of events on a drawing: events at nearly the same place share one. */
import type { EventCluster } from '@potluck/client';
import { dayOf } from '#lib/language/format.ts';
import { formatStart, formatWeekday } from '#lib/language/list-times.ts';
import { m } from '#lib/messages/index.js';
import type { ShownEvent } from './groups.ts';
import { type Box, type Drawing, fitBox, scaleBox } from './mercator.ts';

export type Pin = { events: [ShownEvent, ...ShownEvent[]]; x: number; y: number; text: string };

/** In units of the drawing: pins that are nearer would cover each other. */
const reach = { x: 70, y: 34 };
/** The base map has nothing more to show in a smaller box, in degrees. */
const minDegrees = 0.5;
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

export function pinsOf(events: ShownEvent[], drawing: Drawing): Pin[] {
  const pins: Omit<Pin, 'text'>[] = [];
  for (const event of events) {
    const { lat, lng } = event.location;
    const [x, y] = [drawing.toX(lng), drawing.toY(lat)];
    const near = pins.find((pin) => Math.abs(pin.x - x) < reach.x && Math.abs(pin.y - y) < reach.y);
    if (near) near.events.push(event);
    else pins.push({ events: [event], x, y });
  }
  return pins.map((pin) => ({ ...pin, text: textOfPin(pin.events) }));
}

/** The number of events; of one, the time today, or the weekday. */
export function textOfPin([event, ...others]: Pin['events']): string {
  if (others.length > 0) return m.discovery_count({ count: others.length + 1 });
  const isToday = dayOf(event.startAt, event.timezone) === dayOf(Date.now(), event.timezone);
  return isToday && !event.allDay ? formatStart({ ...event, endAt: event.startAt }) : formatWeekday(event);
}
