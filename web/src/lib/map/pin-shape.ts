/** The outline of a pin whose point is at 0, 0, 42 units high. */
export const pinShape = 'M0 0c-6-9-14-15-14-24a14 14 0 0 1 28 0c0 9-8 15-14 24z';
