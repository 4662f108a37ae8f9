/** What lists say of an invited person. */
import type { Invitation } from '@potluck/client';
import { dayMs } from '#lib/language/format.ts';
import { m } from '#lib/messages/index.js';

export const nameOf = ({ name, user, email, phone }: Invitation): string =>
  name ?? user?.name ?? email ?? phone ?? m.organizer_invited_unnamed();

/** The contact, where the name does not say it. */
export const contactOf = ({ name, user, email, phone }: Invitation): string =>
  name || user ? (email ?? phone ?? (name && user ? user.name : '')) : '';

/** Of a person without an account, the colours follow the invitation. */
export const faceOf = (invitation: Invitation) => ({
  name: nameOf(invitation),
  avatar: invitation.user?.avatar ?? invitation.id,
});

export const deliveries = {
  none: m.organizer_delivery_none,
  queued: m.organizer_delivery_queued,
  sent: m.organizer_delivery_sent,
  failed: m.organizer_delivery_failed,
};

export const isUnanswered = ({ status, delivery }: Invitation): boolean =>
  status === 'pending' && delivery === 'sent';

/** Whether a reminder may reach the person: a day after the invitation at the earliest, and two days after another reminder. */
export const isDue = (invitation: Invitation): boolean => {
  const { createdAt, remindedAt } = invitation;
  const since = (time: string) => Date.now() - Date.parse(time);
  return (
    isUnanswered(invitation) &&
    since(createdAt) >= dayMs &&
    (remindedAt === null || since(remindedAt) >= 2 * dayMs)
  );
};
