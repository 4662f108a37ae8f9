/** The lists of people to whom the organizer writes, with their names. */
import type { Announcement } from '@potluck/client';
import { m } from '#lib/messages/index.js';

export type Audience = Announcement['audience'][number];

const names: Record<Audience, () => string> = {
  going: m.organizer_going,
  interested: m.organizer_interested,
  waiting: m.organizer_write_waiting,
  requesting: m.organizer_write_requesting,
  unanswered: m.organizer_write_unanswered,
  claimants: m.organizer_write_claimants,
};

export const audiences = Object.keys(names) as Audience[];
/** Who is chosen until the organizer chooses others: the guests. */
export const guestAudiences = audiences.filter(
  (audience) => audience !== 'unanswered' && audience !== 'requesting',
);
// A newer server may have more lists.
export const nameOfAudience = (audience: Audience): string => names[audience]?.() ?? '';
