/** Rectangles on a drawing or in a window, in its units. */

export type Room = { left: number; right: number; top: number; bottom: number };

export const touches = (a: Room, b: Room): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

export const isIn = ([x, y]: [x: number, y: number], { left, right, top, bottom }: Room): boolean =>
  x >= left && x <= right && y >= top && y <= bottom;
