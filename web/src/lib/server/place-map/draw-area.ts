/** Draws a part of the world as an SVG picture, as a ground for pins. */
import { type Box as Area, fitBox } from '#lib/discovery/mercator.ts';
import { drawSheet, readSheet, type Size } from './draw-map.ts';
import type { Box } from './place-labels.ts';

/** @param boxes of the pins, which no name may lie under */
export async function drawArea(
  area: Area,
  size: Size,
  boxes: Box[],
  basePath: string,
  isDark: boolean,
): Promise<string> {
  const sheet = await readSheet(basePath, 'base', fitBox(area, size.width, size.height), size);
  return drawSheet(sheet, isDark, () => ({ boxes, below: '', above: '' }));
}
