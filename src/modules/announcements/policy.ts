/** Decides what may be announced, and when an announcement is sent. */
import { dayMs, hourMs, parseTimestamp } from '#base';
import { invalid, Problem } from '../../lib/errors.ts';
import type { AnnouncementRow } from './repo.ts';
import type { Subject } from './subjects.ts';

/** In 24 hours, on every server: these limits protect the mailboxes of guests. */
export const maxOfEvent = 5;
export const maxOfPerson = 20;

/** A request takes a moment: a time that has just passed is now. */
const momentMs = 5_000;

/** @throws Problem `invalid_request` for a time in the past */
export function readSendAt(text: string, now: Date): Date {
  const at = parseTimestamp(text);
  if (!at || at.getTime() < now.getTime() - momentMs) throw invalid('sendAt', 'is in the past', 'in_past');
  return at;
}

type Announced = Pick<Subject, 'status' | 'isHiddenByAdmin' | 'endAt'>;

/**
 * Checks that an announcement can be sent, now or later. After the end of the event it can be sent now.
 * @throws Problem `invalid_request`, `event_cancelled`, `event_hidden`
 */
export function requireSendable(
  { status, isHiddenByAdmin, endAt }: Announced,
  sendAt: Date,
  now: Date,
): void {
  const isLater = sendAt > now;
  if (isLater && endAt && sendAt > endAt)
    throw invalid('sendAt', 'is after the end of the event', 'after_end');
  if (isLater && status === 'cancelled') throw new Problem('event_cancelled');
  if (isHiddenByAdmin) throw new Problem('event_hidden');
}

/** @throws Problem `quota_exceeded` if the latest announcements are as many as the limit allows */
export function requireQuota(
  { count, first }: { count: number; first: Date | null },
  max: number,
  now: Date,
): void {
  if (count < max) return;
  const waitMs = (first ?? now).getTime() + dayMs - now.getTime();
  throw new Problem('quota_exceeded', {
    detail: `There were ${max} announcements in 24 hours. \`Retry-After\` has the seconds until the next one.`,
    retryAfter: Math.max(1, Math.ceil(waitMs / 1000)),
  });
}

/** How late an announcement may be sent, after an outage. */
const latenessMs = 2 * hourMs;

/** What is true at `sendAt`. `author`: null for a deleted or suspended account. */
export type Moment = {
  now: Date;
  author: { id: string; role: 'user' | 'admin' } | null;
  subject: Pick<Subject, 'organizerId' | 'status' | 'isHidden'>;
};

/** Whether an announcement that is due is not sent. */
export const isMissed = (
  { sendAt }: Pick<AnnouncementRow, 'sendAt'>,
  { now, author, subject }: Moment,
): boolean =>
  now.getTime() - sendAt.getTime() > latenessMs ||
  subject.status === 'cancelled' ||
  subject.isHidden ||
  (author?.id !== subject.organizerId && author?.role !== 'admin');
