/** Where most events are. */
import { mercatorX, mercatorY, type Place } from '#lib/map/mercator.ts';

/** A map of many events begins with those in their middle: a few far away would make all others one pin. */
export const manyEvents = 20;
/** The margin around them, and the least box in degrees: without streets, a map of less than a town has little to show. */
export const middleMargin = 1.3;
export const leastMiddle = { streets: 0.015, towns: 0.11 };

type Counted = Place & { count: number };

export const sum = (places: Counted[]): number => places.reduce((total, { count }) => total + count, 0);

/** The places nearest to the middle of all events, until they have so many. */
export function middleOf<T extends Counted>(places: T[], wanted: number): T[] {
  const median = (of: (place: Place) => number): number => {
    const sorted = places.toSorted((a, b) => of(a) - of(b));
    const last = firstWith(sum(places) / 2, sorted).at(-1);
    return last ? of(last) : 0;
  };
  const [x, y] = [median(xOf), median(yOf)];
  const distance = (place: Place) => Math.hypot(xOf(place) - x, yOf(place) - y);
  return firstWith(
    wanted,
    places.toSorted((a, b) => distance(a) - distance(b)),
  );
}

const xOf = ({ lng }: Place): number => mercatorX(lng);
const yOf = ({ lat }: Place): number => mercatorY(lat);

function firstWith<T extends Counted>(wanted: number, places: T[]): T[] {
  let before = 0;
  return places.filter(({ count }) => {
    const isWanted = before < wanted;
    before += count;
    return isWanted;
  });
}
