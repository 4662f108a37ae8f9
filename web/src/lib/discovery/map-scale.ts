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
  [8, 1e4],
  [9, 5e3],
  [10, 2e3],
  [11, 0],
];

/** The radii of circles of equal distance, in km. */
export const ringRadii = [0.5, 1, 2, 5, 10, 20, 50];
/** The smallest of them by zoom: smaller ones would be dots. */
export const leastRing: Steps = [100, [6, 50], [7, 20], [8, 10], [9, 5], [10, 2], [11, 1], [12, 0.5]];

/** Dots of towns by population: their radii in pixels. */
export const dotSizes: Steps = [1.5, [2e4, 2.5], [2e5, 4]];
/** Names of towns: their sizes in pixels by population at two zooms, between which they grow. */
export const nameSizes: { zoom: number; sizes: Steps }[] = [
  { zoom: 3, sizes: [11, [2e4, 11], [2e5, 13]] },
  { zoom: 10, sizes: [12, [2e4, 15], [2e5, 24]] },
];
/** Names of towns with so many people are bold, and those with fewer than `medium` are soft. */
export const [medium, large] = [2e4, 2e5];

/** The radius of the ground of a town, in parts of the world for each root of its population: some 9 km for half a million. */
export const builtSize = 5.25e-7;
/** The part of the radius in which the ground fades out. */
export const builtBlur = 0.9;
/** In km. */
export const equator = 40_075;
