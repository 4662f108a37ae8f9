/** How many invitations may tell somebody: pure functions of the times of those before. The rows are in `invitation_sends`. */
import { dayMs } from '#base';
import { Problem } from '../../lib/errors.ts';

export type Way = 'inbox' | 'email' | 'phone' | 'link';

/** Of mails and notifications, and of texts, in 24 hours for a person: in the first 48 hours of the account, and later. */
const perPerson = { mail: { fresh: 50, later: 200 }, text: { fresh: 10, later: 50 } };
const freshMs = 2 * dayMs;
/** Accounts that share the limit of an address. */
const youngMs = 30 * dayMs;
/** To an address in 24 hours, by all young accounts together, and by each other account. */
const perAddress = { young: 3, later: 1 };
/** Links without a contact that a person makes in 24 hours. */
export const maxLinks = 2_000;
/** Invitations of one event. */
export const maxInvitations = 2_000;

export const isYoung = (createdAt: Date, now: Date): boolean => now.getTime() - createdAt.getTime() < youngMs;

/**
 * When the limit of a person lets another message leave.
 * @param before the times at which the person's messages of this way leave, ascending, of the last 24 hours and later
 */
export function dueAt(way: 'mail' | 'text', before: number[], createdAt: Date, now: Date): Date {
  const { fresh, later } = perPerson[way];
  const grownAt = createdAt.getTime() + freshMs;
  const freshDue = Math.max(now.getTime(), freeAt(before, fresh));
  if (freshDue < grownAt) return new Date(freshDue);
  return new Date(Math.max(now.getTime(), grownAt, freeAt(before, later)));
}

/** When the limit of an address lets another message leave. @param before those that count, as in `dueAt` */
export const leavesAt = (before: number[], isOfYoung: boolean, now: Date): Date =>
  new Date(Math.max(now.getTime(), freeAt(before, isOfYoung ? perAddress.young : perAddress.later)));

export const quotaExceeded = (detail: string): Problem =>
  new Problem('quota_exceeded', { detail, retryAfter: dayMs / 1000 });

/** When fewer than `max` of the times are in the 24 hours before. */
function freeAt(times: number[], max: number): number {
  const time = times.at(-max);
  return time === undefined ? 0 : time + dayMs;
}
