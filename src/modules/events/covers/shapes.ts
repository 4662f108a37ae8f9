/** SVG elements that several cover themes draw. A cover has 1200 × 630 units; lists show its central square. */
import { numbersFrom } from '#base';

export const [width, height] = [1200, 630];
export const [centreX, centreY] = [width / 2, height / 2];

/** The ground, and three colours of the drawing. */
export type Palette = readonly [string, string, string, string];
/** The colour of labels. */
export const paper = '#fffaf1';

export const round = (value: number): number => Math.round(value * 10) / 10;

export const circle = (x: number, y: number, radius: number, attributes: string): string =>
  `<circle cx="${round(x)}" cy="${round(y)}" r="${round(radius)}" ${attributes}/>`;

export const path = (d: string, attributes: string): string => `<path d="${d}" ${attributes}/>`;

export const fill = (colour: string, opacity = 1): string =>
  opacity === 1 ? `fill="${colour}"` : `fill="${colour}" fill-opacity="${opacity}"`;

export const stroke = (colour: string, lineWidth: number, more = ''): string =>
  `fill="none" stroke="${colour}" stroke-width="${lineWidth}"${more}`;

/** Fills the cover. */
export const ground = (paint: string): string =>
  `<rect width="${width}" height="${height}" fill="${paint}"/>`;

/** Fills the cover with a tile. A corner of four tiles is in the centre, around which the pattern is turned and scaled. */
export const tiled = (size: number, tile: string, { turn = 0, scale = 1 } = {}): string =>
  `<pattern id="t" width="${size}" height="${size}" patternUnits="userSpaceOnUse" ` +
  `patternTransform="translate(${centreX} ${centreY}) rotate(${turn}) scale(${scale})">` +
  `${tile}</pattern>${ground('url(#t)')}`;

/** Defines an element that `copy` repeats. */
export const define = (id: string, inside: string): string => `<defs><g id="${id}">${inside}</g></defs>`;
export const copy = (id: string, transform: string): string =>
  `<use href="#${id}" transform="${transform}"/>`;

/** The copies of an element around the centre, turned outwards. */
export const copiesAround = (id: string, count: number): string =>
  Array.from({ length: count }, (_, i) =>
    copy(id, `translate(${centreX} ${centreY}) rotate(${round((i * 360) / count)})`),
  ).join('');

/** A round label for the emoji, with a soft shadow. */
export const label = (radius: number, colour: string): string =>
  circle(centreX, centreY + 8, radius + 2, fill('#000', 0.14)) +
  circle(centreX, centreY, radius, fill(colour));

/** A ring of dashes around the centre, which meet without a gap. @param lineLength the share of a dash that is drawn */
export function dashedRing(
  radius: number,
  colour: string,
  { count, lineWidth, lineLength }: { count: number; lineWidth: number; lineLength: number },
): string {
  const step = (2 * Math.PI * radius) / count;
  const dashes = `${round(step * lineLength)} ${(step * (1 - lineLength)).toFixed(3)}`;
  return circle(
    centreX,
    centreY,
    radius,
    stroke(colour, lineWidth, ` stroke-dasharray="${dashes}" stroke-linecap="round"`),
  );
}

/** A point in each cell of a grid, without those within a distance of the centre. */
export function scatter(
  cell: number,
  seed: number,
  clearRadius: number,
): { x: number; y: number; turn: number }[] {
  const next = numbersFrom(seed);
  const points: { x: number; y: number; turn: number }[] = [];
  for (let y = 0; y < height; y += cell)
    for (let x = 0; x < width; x += cell)
      points.push({
        x: Math.round(x + (0.15 + 0.7 * next()) * cell),
        y: Math.round(y + (0.15 + 0.7 * next()) * cell),
        turn: next() * Math.PI,
      });
  return points.filter(({ x, y }) => Math.hypot(x - centreX, y - centreY) > clearRadius);
}
