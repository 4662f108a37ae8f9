/**
 * How many wrong codes may be tried: five by one requester for one purpose in 15 minutes, and 100 for a contact in 24 hours, over
 * all requesters, networks, purposes and servers. The 100 are divided into budgets:
 *
 * | budget | who may use it | tries |
 * |---|---|---|
 * | `device` | known devices, and sessions of the account | 8 |
 * | `network` | known networks | 7 |
 * | `unknown` | all requesters, in any order | the first 25 |
 * | `unknown` | requesters with fewer than 3 tries in this budget | up to 85 |
 *
 * Known requesters use their own budget first. Strangers in 20 networks make at most 25 + 19 × 3 tries, which leaves three to
 * any other network, and all of `network` and `device`.
 */
import { dayMs } from '#base';
import type { CodePurpose } from '../../../lib/contact.ts';
import type { Requester, Trust } from './requesters.ts';

const windowMs = 15 * 60_000;
const maxInWindow = 5;
const budgets: Record<Trust, number> = { unknown: 85, network: 7, device: 8 };
const [sharedTries, triesOfEach] = [25, 3];

export type Try = { purpose: CodePurpose; requester: Buffer; budget: Trust; at: Date };

/** `isLast`: a wrong code locks the requester until the first of its tries is 15 minutes old. */
type Allowance = { budget: Trust; isLast: boolean } | { waitMs: number };

/** @param tries the wrong tries for the contact in 24 hours, oldest first */
export function allowTry(tries: Try[], requester: Requester, purpose: CodePurpose, now: Date): Allowance {
  const own = tries.filter(({ requester: id }) => id.equals(requester.triesId));
  const recent = own.filter(
    (each) => each.purpose === purpose && each.at.getTime() > now.getTime() - windowMs,
  );
  const [first] = recent;
  if (first && recent.length >= maxInWindow) return { waitMs: first.at.getTime() + windowMs - now.getTime() };
  const spentOf = (list: Try[], budget: Trust) => list.filter((each) => each.budget === budget).length;
  const hasRoom = (budget: Trust) => {
    const spent = spentOf(tries, budget);
    if (budget !== 'unknown' || spent < sharedTries) return spent < budgets[budget];
    return spent < budgets.unknown && spentOf(own, 'unknown') < triesOfEach;
  };
  const budget = [requester.trust, 'unknown' as const].find(hasRoom);
  if (budget) return { budget, isLast: recent.length + 1 === maxInWindow };
  const oldest = tries[0]?.at ?? now;
  return { waitMs: oldest.getTime() + dayMs - now.getTime() };
}
