/** Finds a view of a map in which no pin is cut by an edge, or lies under a text or a button. */

export type Pixels = { x: number; y: number };
export type Room = { left: number; right: number; top: number; bottom: number };
/** Pixels to move the map by, and by how much to zoom out. */
export type Step = Pixels & { out: number };

/** Around the middle of a marker, with its badge. That of a single event has a day. */
const reach = { x: 30, singleX: 38, y: 30 };

export const roomOf = ({ x, y }: Pixels, isSingle: boolean): Room => {
  const wide = isSingle ? reach.singleX : reach.x;
  return { left: x - wide, right: x + wide, top: y - reach.y, bottom: y + reach.y };
};

export const touches = (a: Room, b: Room): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

const isInside = (a: Room, frame: Room): boolean =>
  a.left >= frame.left && a.right <= frame.right && a.top >= frame.top && a.bottom <= frame.bottom;

const moves = [0, -24, 24, -48, 48];
const outs = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];

/**
 * The smallest step to the view with the fewest faults.
 * @param frame the part of the map that is in sight
 * @param things what lies on the map
 * @param pinsAt the pins after a step; those beyond the frame are no fault
 */
export function clearView(
  frame: Room,
  things: Room[],
  pinsAt: (step: Step) => (Pixels & { isSingle: boolean })[],
): Step {
  let best = { x: 0, y: 0, out: 0 };
  let least = Number.POSITIVE_INFINITY;
  for (const out of outs)
    for (const x of moves)
      for (const y of moves) {
        const step = { x, y, out };
        const rooms = pinsAt(step).map((pin) => roomOf(pin, pin.isSingle));
        const faults = rooms.filter(
          (room) =>
            touches(room, frame) && !(isInside(room, frame) && !things.some((thing) => touches(room, thing))),
        );
        const cost = faults.length * 1_000 + out * 100 + Math.abs(x) + Math.abs(y);
        if (cost < least) [best, least] = [step, cost];
      }
  return best;
}
