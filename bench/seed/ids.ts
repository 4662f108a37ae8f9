/**
 * Ids that follow from a number, so that SQL can name a random row without asking for it first:
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

/** The number that an id was made from. */
export const numberOf = (id: string): number => Number.parseInt(id.slice(-12), 16);

export const userCount = 20_000;
/** Past the ordinary events, so that whoever picks one of those at random never meets them. */
export const hotEvent = (events: number): number => events + 1;
export const claimsEvent = (events: number): number => events + 2;
/** On the claims event: items that never run out, numbered from 1, and then items of which there are three. */
export const deepItems = { count: 20, needed: 1_000_000 } as const;
export const scarceItems = { count: 2_000, needed: 3 } as const;
