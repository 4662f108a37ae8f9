/** The names of towns in a picture of a map: those of the largest, where there is room for them. */
import type { Palette } from './place-shapes.ts';

/** `rank`: the population, or another measure of the size. */
export type NamedPoint = { x: number; y: number; name: string; rank: number };
export type Box = { left: number; right: number; top: number; bottom: number };

const maxLabels = 8;
/** In units of the drawing: large towns have large names. */
const fontSizeOf = ({ rank }: NamedPoint): number => (rank >= 200_000 ? 22 : rank >= 20_000 ? 15 : 12);
/** Of letters on average, for each unit of the font. */
const letterWidth = 0.6;

/** @param boxes what lies on the drawing already */
export function labelsOf(
  points: NamedPoint[],
  boxes: Box[],
  size: { width: number; height: number },
  { ink, soft, land }: Palette,
): string {
  const taken = [...boxes];
  const isInside = ({ left, right, top, bottom }: Box): boolean =>
    left >= 0 && right <= size.width && top >= 0 && bottom <= size.height;
  const labels: string[] = [];
  for (const point of points.toSorted((a, b) => b.rank - a.rank)) {
    const box = placesOf(point).find(
      (each) => isInside(each) && !taken.some((other) => overlap(each, other)),
    );
    if (!box) continue;
    taken.push(box);
    labels.push(
      `<circle cx="${point.x.toFixed(1)}" cy="${point.y.toFixed(1)}" r="2.5" fill="${soft}"/>` +
        `<text x="${((box.left + box.right) / 2).toFixed(1)}" y="${(box.bottom - 5).toFixed(1)}" ` +
        `font-size="${fontSizeOf(point)}" fill="${fontSizeOf(point) > 12 ? ink : soft}" stroke="${land}" stroke-width="3" paint-order="stroke" ` +
        `text-anchor="middle" font-family="Figtree, system-ui, sans-serif">${escapeXml(point.name)}</text>`,
    );
    if (labels.length === maxLabels) break;
  }
  return labels.join('');
}

/** Where a name may be: below its point, above it, at its sides, and farther away. */
function placesOf(point: NamedPoint): Box[] {
  const { x, y, name } = point;
  const fontSize = fontSizeOf(point);
  const [length, high] = [[...name].length * letterWidth * fontSize, fontSize + 5];
  const at = (left: number, top: number) => ({ left, right: left + length, top, bottom: top + high });
  return [2, 6, 20, 40].flatMap((gap) => [
    at(x - length / 2, y + gap),
    at(x - length / 2, y - high - gap),
    at(x + gap + 4, y - high / 2),
    at(x - length - gap - 4, y - high / 2),
  ]);
}

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
