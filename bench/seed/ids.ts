/**
 * Ids that are computed from numbers, so that SQL can address a random row without a lookup:
 * `('00000000-0000-7000-8000-' || lpad(to_hex(:n), 12, '0'))::uuid`.
 */

export const prefix = {
  event: '00000000-0000-7000-8000-',
  user: '00000000-0000-7001-8000-',
  session: '00000000-0000-7002-8000-',
  claim: '00000000-0000-7003-8000-',
  message: '00000000-0000-7004-8000-',
} as const;

export const idOf = (kind: keyof typeof prefix, n: number): string =>
  prefix[kind] + n.toString(16).padStart(12, '0');

/** The number of an id. */
export const numberOf = (id: string): number => Number.parseInt(id.slice(-12), 16);

export const userCount = 20_000;
/** The numbers after the ordinary events, so that a random ordinary event is never one of these. */
export const hotEvent = (events: number): number => events + 1;
export const claimsEvent = (events: number): number => events + 2;
/**
 * The items of the claims event: first those with a practically unlimited quantity, then those with three.
 */
export const deepItems = { count: 20, needed: 1_000_000 } as const;
export const scarceItems = { count: 2_000, needed: 3 } as const;
