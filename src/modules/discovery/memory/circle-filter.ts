/** Finds the documents of a segment in a circle. */
import { type Bitmap, clearBit, hasBit, setBit, setRange, unite } from '../../../lib/bitmap.ts';
import { type Circle, circleBands } from '../../../lib/grid-cells.ts';
import { chordSquared, farthestKm, type Point, toPoint } from '../../../lib/sphere.ts';
import { forEachRange, type SegmentData } from './segment.ts';

/** Documents from `begun` to before `end`, and those before `begun` that are in `running`. */
type Times = { begun: number; end: number; running: Bitmap };

/** Adds the documents in the circle that match the times. */
export function addCircle(bits: Bitmap, data: SegmentData, circle: Circle, times: Times): void {
  if (circle.radius > farthestKm / 2) {
    addAllBut(bits, data, circle, times);
    return;
  }
  const isInside = createCircleTest(data, circle);
  const { begun, end, running } = times;
  forEachRange(data, circleBands(circle), (first, stop, isInner) => {
    for (let i = first; i < stop; i++) {
      const doc = data.cellDocs[i] as number;
      if (doc >= end || (doc < begun && !hasBit(running, doc))) continue;
      if (isInner || isInside(i)) setBit(bits, doc);
    }
  });
}

/** A circle of more than a hemisphere: all documents, without those in the circle around the antipode. */
function addAllBut(bits: Bitmap, data: SegmentData, circle: Circle, { begun, end, running }: Times): void {
  setRange(bits, begun, end);
  unite(bits, running);
  const isInside = createCircleTest(data, circle);
  const antipode = {
    lat: -circle.lat,
    lng: circle.lng + (circle.lng > 0 ? -180 : 180),
    radius: farthestKm - circle.radius,
  };
  forEachRange(data, circleBands(antipode), (first, stop, isInner) => {
    for (let i = first; i < stop; i++)
      if (isInner || !isInside(i)) clearBit(bits, data.cellDocs[i] as number);
  });
}

/** Creates the test of the point at a position of `cellDocs`, for circles of any radius. It allocates no memory, as it runs for every point. */
export function createCircleTest({ points }: SegmentData, circle: Circle): (i: number) => boolean {
  const [x, y, z]: Point = toPoint(circle);
  const reach = chordSquared(circle.radius);
  return (i) => {
    const dx = (points[3 * i] as number) - x;
    const dy = (points[3 * i + 1] as number) - y;
    const dz = (points[3 * i + 2] as number) - z;
    return dx * dx + dy * dy + dz * dz <= reach;
  };
}
