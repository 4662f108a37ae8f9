/** What a map shows at a zoom, whether it can be moved or is drawn. Zooms are those of a world of 512 pixels. */

/** A value, and those that take its place from a zoom, or a population, on. */
export type Steps = [first: number, ...later: [from: number, value: number][]];

export const valueAt = ([first, ...later]: Steps, at: number): number =>
  later.findLast(([from]) => at >= from)?.[1] ?? first;

/** The smallest population of a town with a name, by zoom. */
export const leastPopulation: Steps = [
  5e6,
  [2, 2e6],
  [3, 1e6],
  [4, 4e5],
  [5, 1.5e5],
  [6, 5e4],
  [7, 2e4],
  [8, 5e3],
  [9, 2e3],
  [10, 0],
];

/** A map of events without streets zooms no further: it would show a part of one town, with venues and distances alone. */
export const lastTownZoom = 13;
/** From this zoom on, a map is one of a town and its surroundings. */
export const townZoom = 8.5;

/** The radii of circles of equal distance, in km. */
export const ringRadii = [0.2, 0.5, 1, 2, 5, 10, 20, 50];
/** The smallest of them by zoom: smaller ones would be dots. */
export const leastRing: Steps = [
  100,
  [6, 50],
  [7, 20],
  [8, 10],
  [9, 5],
  [10, 2],
  [11, 1],
  [12, 0.5],
  [13, 0.2],
];

/** Of the grounds of circles, which lie over each other, and of their lines. */
export const [discOpacity, ringOpacity] = [0.22, 0.5];
/** Of the lines of circles: a dash and a gap, in pixels. */
export const ringDashes = [4, 4];
/** Of shallow water along the coast of a town: its width on both sides of the coast in pixels, and how much it is like land. */
export const [shoreWidth, shoreOpacity] = [18, 0.4];
/** Grounds are drawn of circles up to this multiple of the smallest one. */
export const discRange = 4;

/** Names of towns: their sizes in pixels by population at two zooms, between which they grow. */
export const nameSizes: { zoom: number; sizes: Steps }[] = [
  { zoom: 3, sizes: [11, [2e4, 11], [2e5, 13]] },
  { zoom: 10, sizes: [12, [2e4, 15], [2e5, 24]] },
  { zoom: 12, sizes: [14, [4e3, 17], [2e4, 19], [2e5, 26]] },
];
/** Streets tell the kinds of places in place of their populations: a number for each, and 0 for others. */
export const populationOf: Record<string, number> = { city: 2e5, town: 2e4, village: 3e3 };
/** Of borders: a dash and a gap, in widths of the line. */
export const borderDashes = [4, 3];

/** The smallest population of names that are bold, and of those that are not soft, by zoom. */
export const leastBold: Steps = [2e5, [9, 4e3]];
export const leastInk: Steps = [2e4, [9, 2e3]];

/** The radius of the ground of a town, in parts of the world for each root of its population: some 9 km for half a million. */
export const builtSize = 5.25e-7;
/** From this zoom on: smaller grounds would be dots. */
export const leastBuilt = 6;
/** In km. */
export const equator = 40_075;
