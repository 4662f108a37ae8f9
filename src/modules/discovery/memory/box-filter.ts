/** Finds the documents of a segment in a box. */
import { type Bitmap, setBit } from '../../../lib/bitmap.ts';
import { type Box, isInBox } from '../../../lib/coordinates.ts';
import { boxBands } from '../../../lib/grid-cells.ts';
import { forEachRange, type SegmentData } from './segment.ts';

/** Adds the documents in the box. */
export function addBox(bits: Bitmap, data: SegmentData, box: Box): void {
  const isInside = createBoxTest(data, box);
  forEachRange(data, boxBands(box), (first, stop) => {
    for (let i = first; i < stop; i++) if (isInside(i)) setBit(bits, data.cellDocs[i] as number);
  });
}

/** Creates the test of the place at a position of `cellDocs`. */
export const createBoxTest =
  ({ coordinates }: Pick<SegmentData, 'coordinates'>, box: Box): ((i: number) => boolean) =>
  (i) =>
    isInBox(box, coordinates[2 * i] as number, coordinates[2 * i + 1] as number);
