/** Invitations, in tests. */
import { randomBytes } from 'node:crypto';
import { newId } from '#base';
import { transaction } from '#pg';
import { refreshInvited } from '../../src/modules/invitations/invited-people.ts';
import { insertInvitations } from '../../src/modules/invitations/repo.ts';
import { hashInvitationToken } from '../../src/modules/invitations/token.ts';
import type { Person } from './factories.ts';
import type { TestApp } from './setup.ts';

type Invited = {
  userId?: string;
  email?: string;
  name?: string | null;
  message?: string;
  maxUses?: number;
  expiresAt?: Date;
};

/** Stores an invitation, as one that the organizer has made. `token`: of its link. */
export async function storeInvitation(
  api: TestApp,
  organizer: Person,
  eventId: string,
  { userId, email, name = 'Ana', message, maxUses = 1, expiresAt }: Invited = {},
): Promise<{ id: string; token: string }> {
  const id = newId();
  const token = randomBytes(24).toString('base64url');
  await transaction(api.sql, async (tx) => {
    const contact = { contactKind: email ? ('email' as const) : null, contact: email ?? null };
    const account = { userId: userId ?? null, isById: userId !== undefined };
    await insertInvitations(tx, [
      {
        ...{
          subjectId: eventId,
          isOfSeries: false,
          id,
          inviterId: organizer.id,
          ...account,
          ...contact,
          name: userId ? null : name,
        },
        ...{ message: message ?? null, status: maxUses > 1 ? null : 'pending', delivery: 'none', maxUses },
        ...{ expiresAt: expiresAt ?? null, createdAt: new Date(), extraGuests: 0, answeredAt: null },
        tokenHash: userId ? null : hashInvitationToken(token),
      },
    ]);
    if (userId) await refreshInvited(tx, [{ subjectId: eventId, isOfSeries: false, userId }]);
  });
  return { id, token };
}

/** Reads the invitation of a link, and answers by it. */
export const linkClient = (api: TestApp, linkToken: string) => {
  const headers = { 'invitation-token': linkToken };
  return {
    read: (token?: string) => api.call('GET', '/v1/invitation', { headers, token }),
    answer: (body: object, token?: string) =>
      api.call('POST', '/v1/invitation/answer', { headers, token, body }),
  };
};
