/** What a picture of a place shows of a map, and in which colours of the page (tokens.css). */

import { borderDashes } from '#lib/map/map-scale.ts';

/** Custom properties, which a picture takes from the page that uses it. */
export type Colour = 'water' | 'land' | 'built' | 'border' | 'park' | 'building' | 'road' | 'ink' | 'soft';
/**
 * Polygons have `fill`, lines `line`. `kinds` are those of Protomaps, and so are `details`; without them, all of the layer.
 * `edge`: what a line is wider than declared at each zoom.
 */
export type Shape = {
  layer: string;
  kinds?: string[];
  details?: string[];
  fill?: Colour;
  line?: { colour: Colour; width: number; edge?: number; opacity?: number; dashes?: number[] };
};

const parks = ['park', 'forest', 'wood', 'grass', 'garden', 'cemetery', 'nature_reserve'];

/** Roads from the least to the most important, and their widths. Footways and steps are left out: they would fill the map. */
const roads: [details: string[], width: number][] = [
  [['service', 'pedestrian'], 2],
  [['residential', 'unclassified', 'living_street'], 4],
  [['tertiary', 'secondary'], 5.5],
  [['primary', 'trunk', 'motorway'], 7],
];
const roadLines = (colour: Colour, edge: number): Shape[] =>
  roads.map(([details, width]) => ({ layer: 'roads', details, line: { colour, width, edge } }));
/** From the most important. */
export const namedRoads: string[] = roads.toReversed().flatMap(([details]) => details);

/** What is where no shape is. Streets have the sea among their shapes, and an edge beyond which the land goes on. */
export const backgrounds = { base: 'water', streets: 'land' } as const;

/** From the lowest to the highest. */
export const shapesOf: Record<'base' | 'streets', Shape[]> = {
  base: [
    { layer: 'land', fill: 'land' },
    { layer: 'borders', line: { colour: 'border', width: 1.5, dashes: borderDashes } },
  ],
  streets: [
    { layer: 'landuse', kinds: parks, fill: 'park' },
    { layer: 'water', fill: 'water' },
    { layer: 'water', kinds: ['river', 'canal'], line: { colour: 'water', width: 4 } },
    { layer: 'water', kinds: ['stream', 'ditch', 'drain'], line: { colour: 'water', width: 1.5 } },
    { layer: 'buildings', fill: 'building' },
    { layer: 'roads', details: ['track', 'cycleway'], line: { colour: 'border', width: 1.5, opacity: 0.5 } },
    ...roadLines('border', 1),
    ...roadLines('road', 0),
  ],
};
