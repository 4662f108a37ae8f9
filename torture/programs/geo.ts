/**
 * Compares random circles with the haversine formula, which shares no code with the chords and cells of the
 * server.
 */
import fc from 'fast-check';
import { transaction } from '#pg';
import type { EventFields } from '../../src/modules/events/event-fields.ts';
import { withDefaults } from '../../src/modules/events/event-rules.ts';
import { insertEvent } from '../../src/modules/events/insert-events.ts';
import { runConcurrently } from '../client.ts';
import type { Environment } from '../environment.ts';
import type { Program } from '../program.ts';

const seed = 20_261_121;
const earthRadiusKm = 6371;
/** Events closer to the circle's edge than this may be on either side of it. */
const edgeToleranceKm = 0.001;
/** `distanceKm` is rounded to ten metres. */
const roundingKm = 0.005;
const pageSize = 50;

type Place = { lat: number; lng: number };
type Circle = { at: Place; radius: number };
type Listed = { id: string; location: Place; distanceKm: number };

const radians = (degrees: number) => (degrees * Math.PI) / 180;

function haversine(a: Place, b: Place): number {
  const [dLat, dLng] = [radians(b.lat - a.lat), radians(b.lng - a.lng)];
  const h =
    Math.sin(dLat / 2) ** 2 + Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * Math.sin(dLng / 2) ** 2;
  return 2 * earthRadiusKm * Math.asin(Math.sqrt(Math.min(1, h)));
}

/** Moves a place by degrees; longitudes wrap at the antimeridian. */
function movePlace({ lat, lng }: Place, dLat: number, dLng: number): Place {
  const east = lng + dLng / Math.max(Math.cos(radians(lat)), 0.01);
  return {
    lat: Math.max(-90, Math.min(90, lat + dLat)),
    lng: east > 180 ? east - 360 : east < -180 ? east + 360 : east,
  };
}

/** Uniform; most values of `fc.double` are close to 0. */
const uniform = (min: number, max: number) =>
  fc.integer({ min: 0, max: 2 ** 31 - 1 }).map((n) => min + ((max - min) * n) / (2 ** 31 - 1));
/** Uniform on the sphere. */
const uniformPlace = fc
  .tuple(uniform(-1, 1), uniform(-180, 180))
  .map(([z, lng]) => ({ lat: (Math.asin(z) * 180) / Math.PI, lng }));
const specialPlaces = [
  [90, 0],
  [-90, 0],
  [0, 180],
  [0, -180],
  [0, 0],
  [67.5, 180],
  [-45, -180],
  [59.91, 10.73],
] as const;
/** At a special place or up to a few degrees away from it, possibly across the pole or the antimeridian. */
const nearSpecialPlace = fc
  .tuple(
    fc.constantFrom(...specialPlaces),
    uniform(-1, 1),
    uniform(-1, 1),
    fc.constantFrom(0, 1e-8, 1e-5, 0.01, 0.5, 3),
  )
  .map(([[lat, lng], dLat, dLng, spread]) => movePlace({ lat, lng }, dLat * spread, dLng * spread));
const anyPlace = fc.oneof(uniformPlace, nearSpecialPlace, nearSpecialPlace);

/**
 * A circle whose edge is just before or behind an event, or one of any size, from a metre to the whole world.
 */
function anyCircle(places: Place[]): fc.Arbitrary<Circle> {
  const nearEvent = fc.tuple(fc.nat(places.length - 1), uniform(-1, 1), uniform(-1, 1), uniform(-6, 0.3));
  const tight = fc
    .tuple(nearEvent, fc.constantFrom(-0.002, 0.002, 0.0011, -0.0011))
    .map(([[i, dLat, dLng, power], gap]) => {
      const place = places[i] ?? { lat: 0, lng: 0 };
      const at = movePlace(place, dLat * 10 ** power, dLng * 10 ** power);
      return { at, radius: haversine(at, place) + gap };
    });
  const small = fc.record({ at: anyPlace, radius: uniform(-3, 2.5).map((power) => 10 ** power) });
  const wide = fc.record({ at: anyPlace, radius: uniform(2.5, 4.302).map((power) => 10 ** power) });
  const far = fc
    .tuple(anyPlace, fc.nat(places.length - 1), fc.constantFrom(-0.0011, 0.0011))
    .map(([at, i, gap]) => ({ at, radius: haversine(at, places[i] ?? at) + gap }));
  const weighted = [
    { arbitrary: tight, weight: 5 },
    { arbitrary: small, weight: 4 },
    { arbitrary: wide, weight: 1 },
    { arbitrary: far, weight: 1 },
  ];
  return fc
    .oneof(...weighted)
    .map(({ at, radius }) => ({ at, radius: Math.min(Math.max(radius, 1e-3), 20_040) }));
}

const fields = ({ lat, lng }: Place, i: number): EventFields =>
  withDefaults({
    title: 'Somewhere',
    startAt: new Date(Date.UTC(2040, 0, 1) + i * 60_000).toISOString(),
    endAt: new Date(Date.UTC(2041, 0, 1) + i * 60_000).toISOString(),
    timezone: 'UTC',
    location: { address: 'There', lat, lng },
    category: 'other',
  });

/** @returns the places by their event's id */
async function insertEvents({ sql, people }: Environment, places: Place[]): Promise<Map<string, Place>> {
  const [organizer] = await people(1);
  if (!organizer) throw new Error('no people were created');
  const byId = new Map<string, Place>();
  for (let from = 0; from < places.length; from += 250) {
    await transaction(sql, async (tx) => {
      for (const [i, place] of places.slice(from, from + 250).entries())
        byId.set(await insertEvent(tx, organizer.id, fields(place, from + i), new Date()), place);
    });
  }
  // Autovacuum would analyze the table within a minute; until then, wide circles are slow.
  await sql`analyze events`;
  return byId;
}

/** Reads one circle. @returns the number of wrong events */
async function countFaults(
  { client }: Environment,
  events: Map<string, Place>,
  { at, radius }: Circle,
): Promise<number> {
  const certain = new Set<string>();
  let possible = 0;
  for (const [id, place] of events) {
    const distance = haversine(at, place);
    if (distance <= radius - edgeToleranceKm) certain.add(id);
    if (distance <= radius + edgeToleranceKm) possible++;
  }
  let faults = 0;
  const seen = new Set<string>();
  // Wide circles contain nearly all events, so only the total and the first page are checked.
  const pages = radius > 300 ? 1 : 10;
  for (let page = 1, total = 1; page <= pages && (page - 1) * pageSize < total; page++) {
    const path = `/v1/events?lat=${at.lat}&lng=${at.lng}&radius=${radius}&limit=${pageSize}&page=${page}`;
    const { status, body } = await client.send('GET', path);
    if (status !== 200) return faults + 1;
    total = body.meta.total;
    if (page === 1 && (total < certain.size || total > possible)) faults++;
    for (const { id, location, distanceKm } of body.data as Listed[]) {
      const distance = haversine(at, events.get(id) ?? location);
      if (
        distance > radius + edgeToleranceKm ||
        Math.abs(distanceKm - distance) > roundingKm + edgeToleranceKm ||
        seen.has(id)
      )
        faults++;
      seen.add(id);
    }
    if (seen.size === total) for (const id of certain) if (!seen.has(id)) faults++;
  }
  return faults;
}

export const geo: Program = {
  name: 'geo',
  expectation:
    '10,000 random circles, including the poles and ±180°, compared with the plain haversine formula: 0 ' +
    'wrong events, with a tolerance of 1 m',
  quick: true,
  async run({ size, startEnvironment, progress }) {
    const environment = await startEnvironment();
    const places = fc.sample(anyPlace, { numRuns: size(3_000, 300), seed });
    const events = await insertEvents(environment, places);
    const circles = fc.sample(anyCircle(places), { numRuns: size(10_000, 120), seed });
    let done = 0;
    let example = '';
    const faults = await runConcurrently(circles.length, 16, async (i) => {
      const circle = circles[i] as Circle;
      const wrong = await countFaults(environment, events, circle);
      if (wrong > 0) example ||= `; for example ${JSON.stringify(circle)} (seed ${seed})`;
      if (++done % 100 === 0) progress(`${done} of ${circles.length} circles`);
      return wrong;
    });
    const wrong = faults.reduce((sum, n) => sum + n, 0);
    return {
      result: `${wrong} wrong in ${circles.length.toLocaleString('en')} circles over ${events.size.toLocaleString('en')} events${example}`,
      ok: wrong === 0,
    };
  },
};
