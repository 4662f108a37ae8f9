/** The names of towns in a picture of a place: those of the largest, where there is room for them. */
import type { Colour } from './place-shapes.ts';

/** `rank`: the population, or another measure of the size. */
export type NamedPoint = { x: number; y: number; name: string; rank: number };
type Box = { left: number; right: number; top: number; bottom: number };

const maxLabels = 12;
const fontSize = 14;
/** Of letters on average. */
const letterWidth = 7.5;
/** The pin in the middle of 480 × 240. */
const pin: Box = { left: 225, right: 255, top: 78, bottom: 118 };

export function labelsOf(points: NamedPoint[], { ink, soft, land }: Record<Colour, string>): string {
  const taken = [pin];
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
        `font-size="${fontSize}" fill="${ink}" stroke="${land}" stroke-width="3" paint-order="stroke" ` +
        `text-anchor="middle" font-family="Figtree, system-ui, sans-serif">${escapeXml(point.name)}</text>`,
    );
    if (labels.length === maxLabels) break;
  }
  return labels.join('');
}

/** Where a name may be: below its point, above it, and at its sides. */
function placesOf({ x, y, name }: NamedPoint): Box[] {
  const [length, high] = [[...name].length * letterWidth, fontSize + 5];
  const at = (left: number, top: number) => ({ left, right: left + length, top, bottom: top + high });
  return [
    at(x - length / 2, y + 2),
    at(x - length / 2, y - high - 2),
    ...[6, 20].flatMap((gap) => [at(x + gap, y - high / 2), at(x - length - gap, y - high / 2)]),
  ];
}

const isInside = ({ left, right, top, bottom }: Box): boolean =>
  left >= 0 && right <= 480 && top >= 0 && bottom <= 240;

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
