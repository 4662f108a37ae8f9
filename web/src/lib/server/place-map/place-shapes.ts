/** What a picture of a place shows of a map, and in which colours of the page (tokens.css). */

/** Custom properties, which a picture takes from the page that uses it. */
export type Colour = 'water' | 'land' | 'built' | 'border' | 'park' | 'building' | 'road' | 'ink' | 'soft';
/** Polygons have `fill`, lines `line`. `kinds` are those of Protomaps; without them, all of the layer. */
export type Shape = {
  layer: string;
  kinds?: string[];
  fill?: Colour;
  line?: { colour: Colour; width: number; opacity?: number };
};

const parks = ['park', 'forest', 'wood', 'grass', 'garden', 'cemetery', 'nature_reserve'];
const [minor, major] = [['minor_road'], ['major_road', 'highway']];
const road = (kinds: string[], width: number, colour: Colour = 'road'): Shape => ({
  layer: 'roads',
  kinds,
  line: { colour, width },
});

/** What is where no shape is. Streets have the sea among their shapes, and an edge beyond which the land goes on. */
export const backgrounds = { base: 'water', streets: 'land' } as const;

/** From the lowest to the highest. */
export const shapesOf: Record<'base' | 'streets', Shape[]> = {
  base: [
    { layer: 'land', fill: 'land' },
    { layer: 'borders', line: { colour: 'border', width: 6, opacity: 0.3 } },
    { layer: 'borders', line: { colour: 'border', width: 1 } },
  ],
  streets: [
    { layer: 'landuse', kinds: parks, fill: 'park' },
    { layer: 'water', fill: 'water' },
    { layer: 'water', kinds: ['river', 'canal'], line: { colour: 'water', width: 4 } },
    { layer: 'water', kinds: ['stream', 'ditch', 'drain'], line: { colour: 'water', width: 2 } },
    { layer: 'buildings', fill: 'building' },
    road(['path'], 2, 'border'),
    road(minor, 6, 'border'),
    road(major, 10, 'border'),
    road(minor, 4.5),
    road(major, 8),
  ],
};
