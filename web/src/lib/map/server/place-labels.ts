/** Names of towns in a picture of a map: the largest first, where there is room for them. */
import { leastBold, leastInk, leastPopulation, nameSizes, valueAt } from '#lib/map/map-scale.ts';
import { isIn, type Room, touches } from '#lib/map/rooms.ts';

/** `rank`: the population, or what stands for it. */
export type NamedPoint = { x: number; y: number; name: string; rank: number };

/** Of letters on average, for each unit of the font. */
export const letterWidth = 0.56;
/** Between a point and its name: for each unit of the font, and besides. */
const [offset, gapBesides] = [0.25, 8];
/** From a point under a pin, to the name beside the pin. */
const besidePin = 34;
/** Around a name. */
const padding = 10;

/**
 * Names, and what is taken then.
 * @param taken boxes that lie on the drawing already
 */
export function drawTowns(
  towns: NamedPoint[],
  taken: Room[],
  zoom: number,
): { drawn: string; taken: Room[] } {
  const all = [...taken];
  const least = valueAt(leastPopulation, zoom);
  const drawn = towns
    .filter(({ rank }) => rank >= least)
    .toSorted((a, b) => b.rank - a.rank)
    .map((town) => {
      const isUnderPin = taken.some((room) => isIn([town.x, town.y], room));
      const places = [...placesOf(town, zoom), ...(isUnderPin ? placesOf(town, zoom, besidePin) : [])];
      const place = places.find(({ room }) => !all.some((other) => touches(room, other)));
      if (!place) return '';
      all.push(place.room);
      return place.write();
    });
  return { drawn: drawn.join(''), taken: all };
}

/** The size of a name, between those of two zooms. */
function sizeAt(zoom: number, rank: number): number {
  const [first, last] = [nameSizes[0], nameSizes.at(-1)];
  const far = nameSizes.findLast((each) => each.zoom <= zoom) ?? first;
  const near = nameSizes.find((each) => each.zoom > zoom) ?? last;
  if (!far || !near) return 0;
  const part = far === near ? 0 : (zoom - far.zoom) / (near.zoom - far.zoom);
  return valueAt(far.sizes, rank) * (1 - part) + valueAt(near.sizes, rank) * part;
}

/** Where a name may be: on its point, below it, above it, and at its sides. */
function placesOf(
  { x, y, name, rank }: NamedPoint,
  zoom: number,
  gapOfPoint = gapBesides,
): { room: Room; write: () => string }[] {
  const size = sizeAt(zoom, rank);
  const [length, gap] = [[...name].length * letterWidth * size, offset * size + gapOfPoint];
  const colour = rank >= valueAt(leastInk, zoom) ? 'ink' : 'soft';
  const style = `fill="var(--${colour})"${rank >= valueAt(leastBold, zoom) ? ' font-weight="700"' : ''}`;
  const at = (middle: number, left: number, anchor: string, textX: number) => ({
    room: {
      left: left - padding,
      right: left + length + padding,
      top: middle - size / 2 - padding,
      bottom: middle + size / 2 + padding,
    },
    write: () => writeText(name, textX, middle, size, `text-anchor="${anchor}" ${style}`),
  });
  return [
    at(y, x - length / 2, 'middle', x),
    at(y + gap + size / 2, x - length / 2, 'middle', x),
    at(y - gap - size / 2, x - length / 2, 'middle', x),
    at(y, x + gap, 'start', x + gap),
    at(y, x - length - gap, 'end', x - gap),
  ];
}

/** A text around a middle line. The page may write smaller: in a large map, a drawing is larger, but not its letters. */
export const writeText = (text: string, x: number, y: number, size: number, attributes: string): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" dy="0.35em" font-size="calc(${size.toFixed(1)}px * var(--letters, 1))" ` +
  `stroke="var(--land)" stroke-width="3" stroke-linejoin="round" paint-order="stroke" ${attributes}>${escapeXml(text)}</text>`;

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
