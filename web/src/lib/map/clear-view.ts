/** Finds a view of a map in which no pin is cut by an edge, or lies under a text or a button. */

import { type Room, touches } from './rooms.ts';

type Pixels = { x: number; y: number };
/** Pixels to move the map by, and by how much to zoom out. */
type Step = Pixels & { out: number };

/** Around the middle of the largest marker. That of a single event has a day. */
const reach = { x: 33, singleX: 38, y: 33 };

export const roomOf = ({ x, y }: Pixels, isSingle: boolean): Room => {
  const wide = isSingle ? reach.singleX : reach.x;
  return { left: x - wide, right: x + wide, top: y - reach.y, bottom: y + reach.y };
};

export const isInside = (a: Room, frame: Room): boolean =>
  a.left >= frame.left && a.right <= frame.right && a.top >= frame.top && a.bottom <= frame.bottom;

const moves = [0, -24, 24, -48, 48];
const outs = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];

/**
 * The smallest step to the view with the fewest faults.
 * @param frame the part of the map that is in sight
 * @param things what lies on the map
 * @param pinsAt the pins after zooming out by so much; those beyond the frame are no fault
 */
export function clearView(
  frame: Room,
  things: Room[],
  pinsAt: (out: number) => (Pixels & { isSingle: boolean })[],
): Step {
  const isFault = (room: Room) =>
    touches(room, frame) && !(isInside(room, frame) && !things.some((thing) => touches(room, thing)));
  let best = { x: 0, y: 0, out: 0 };
  let least = Number.POSITIVE_INFINITY;
  for (const out of outs) {
    // To zoom out this far alone costs as much as the best step.
    if (least <= out * 100) break;
    const pins = pinsAt(out);
    for (const x of moves)
      for (const y of moves) {
        const rooms = pins.map((pin) => roomOf({ x: pin.x + x, y: pin.y + y }, pin.isSingle));
        const cost = rooms.filter(isFault).length * 1_000 + out * 100 + Math.abs(x) + Math.abs(y);
        if (cost < least) [best, least] = [{ x, y, out }, cost];
      }
  }
  return best;
}
