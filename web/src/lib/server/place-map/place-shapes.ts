/** What a picture of a place shows of a map, and in which colours (tokens.css). */

export type Colour =
  | 'water'
  | 'land'
  | 'built'
  | 'border'
  | 'park'
  | 'building'
  | 'road'
  | 'ink'
  | 'soft'
  | 'pin'
  | 'card';
export type Palette = Record<Colour, string>;
/** Polygons have `fill`, lines `line`. `kinds` are those of Protomaps; without them, all of the layer. */
export type Shape = {
  layer: string;
  kinds?: string[];
  fill?: Colour;
  line?: { colour: Colour; width: number };
};

export const palettes: Record<'light' | 'dark', Palette> = {
  light: {
    water: '#bfdce6',
    land: '#edf0e1',
    built: '#f3e0c8',
    border: '#bfc0a8',
    park: '#d7e6c3',
    building: '#e6dac6',
    road: '#fffdf9',
    ink: '#221d18',
    soft: '#6b6157',
    pin: '#a83c17',
    card: '#fffdf9',
  },
  dark: {
    water: '#14262f',
    land: '#282d27',
    built: '#45382c',
    border: '#545a4c',
    park: '#323a2a',
    building: '#3f3932',
    road: '#5a5246',
    ink: '#f4ece1',
    soft: '#b3a799',
    pin: '#ff9d70',
    card: '#211d19',
  },
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
