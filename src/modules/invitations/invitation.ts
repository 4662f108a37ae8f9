/** One invitation, as an organizer reads, changes and withdraws it. */
import type { Static } from 'typebox';
import { type Queryable, sql, type Transaction } from '#pg';
import { auditContextOf, recordAudit } from '../../audit/audit.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { Success } from '../../http/schemas.ts';
import { actAs } from '../../identity/act-as.ts';
import type { Caller } from '../../identity/caller.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { lockContacts } from '../accounts/codes/contact-locks.ts';
import { hashContacts } from '../accounts/codes/hashes.ts';
import { requireOrganizer } from '../events/policy.ts';
import { findEvent } from '../events/repo.ts';
import { findSeries } from '../events/series/repo.ts';
import { isVisible } from '../events/series/visible-series.ts';
import { invitedIn, isVisibleTo } from '../events/standings.ts';
import { endInvitations, listInvited } from './end-invitations.ts';
import { refreshInvited } from './invited-people.ts';
import { readContact } from './invitees.ts';
import { presentInvitations } from './present.ts';
import { contactOf, findInvitation, type InvitationRow, lockInvitation } from './repo.ts';
import { Invitation, InvitationChange, InvitationParams } from './schemas.ts';
import type { InvitationServices } from './services.ts';
import { wayOf } from './ways.ts';

/**
 * Finds an invitation to an event or a series that the caller organizes.
 * @throws Problem `invitation_not_found`, `not_organizer`
 */
export async function findOwnInvitation(db: Queryable, id: string, caller: Caller): Promise<InvitationRow> {
  const row = await findInvitation(db, readId(id, 'invitation_not_found'));
  const subject = row && (await findVisibleSubject(db, row, caller));
  if (!row || !subject) throw new Problem('invitation_not_found');
  requireOrganizer(subject, caller);
  return row;
}

/** The event or series of an invitation; null if the caller may not see it. */
async function findVisibleSubject(
  db: Queryable,
  { subjectId, isOfSeries }: InvitationRow,
  caller: Caller,
): Promise<{ organizerId: string } | null> {
  if (isOfSeries) {
    const series = await findSeries(db, subjectId);
    return series && (await isVisible(db, series, caller)) ? series : null;
  }
  const event = await findEvent(db, subjectId);
  return event && (await isVisibleTo(invitedIn(db), event.id, event, caller)) ? event : null;
}

/** As `findOwnInvitation`, and locks it. */
export async function lockOwnInvitation(tx: Transaction, id: string, caller: Caller): Promise<InvitationRow> {
  const locked = await lockInvitation(tx, await findOwnInvitation(tx, id, caller));
  if (!locked) throw new Problem('invitation_not_found');
  return locked;
}

const common = {
  path: '/v1/invitations/:id',
  caller: 'fresh',
  params: InvitationParams,
} as const;
const problems = ['invitation_not_found', 'not_organizer'] as const;

export const getInvitation = defineEndpoint({
  ...common,
  method: 'GET',
  summary: 'Get an invitation',
  description: 'For the organizer of its event and admins.',
  response: { 200: Invitation },
  problems,

  async handler({ caller, params }, { db, config }: InvitationServices) {
    const row = await findOwnInvitation(db, params.id, caller);
    return { status: 200, body: await present(db, row, caller, config) };
  },
});

export const changeInvitation = defineEndpoint({
  ...common,
  method: 'PATCH',
  summary: 'Change an invitation',
  description:
    'By the person who made it. The contact of an invitation that failed can be corrected; POST /v1/invitations/{id}/send sends it then.',
  body: InvitationChange,
  response: { 200: Invitation },
  problems: [...problems, 'not_owner', 'not_failed', 'already_invited'],

  async handler({ caller, params, body }, services: InvitationServices) {
    const { db, config } = services;
    const { email, phone, country, name } = body;
    if (email !== undefined && phone !== undefined) throw invalid('phone', 'cannot be sent with email');
    if (country !== undefined && phone === undefined)
      throw invalid('country', 'cannot be sent without phone');
    const contact = readContact(body, services);
    const before = await findOwnInvitation(db, params.id, caller);
    const locked = [contact, contactOf(before)].flatMap((each) => each ?? []);
    const changed = await actAs(
      db,
      caller,
      async (tx, caller) => {
        const row = await lockOwnInvitation(tx, params.id, caller);
        if (row.inviterId !== caller.id) throw new Problem('not_owner');
        if (contact && row.delivery !== 'failed') throw new Problem('not_failed');
        if (contact && contact.value !== row.contact) await requireNew(tx, row, contact.value);
        const next = {
          ...row,
          ...(name !== undefined && { name }),
          ...(contact && { contact: contact.value, contactKind: contact.kind }),
        };
        await tx.execute(sql`
          update invitations set name = ${next.name}, contact = ${next.contact}, contact_kind = ${next.contactKind}
          where subject_id = ${row.subjectId} and id = ${row.id}`);
        if (contact) await refreshInvited(tx, await listInvited(tx, [row, next]));
        return next;
      },
      (tx) => lockContacts(tx, hashContacts(config.secretKey, locked)),
    );
    return { status: 200, body: await present(db, changed, caller, config) };
  },
});

export const withdrawInvitation = defineEndpoint({
  ...common,
  method: 'DELETE',
  summary: 'Withdraw an invitation',
  description: 'Its link ends. An answer stays until the guest is removed.',
  response: { 200: Success },
  problems,

  async handler({ caller, params, request }, services: InvitationServices) {
    await actAs(services.db, caller, async (tx, caller) => {
      const row = await lockOwnInvitation(tx, params.id, caller);
      await endInvitations(tx, [row]);
      if (wayOf(row) !== 'link') return;
      const context = auditContextOf(services, request);
      await recordAudit(tx, context, { userId: caller.id }, 'link_withdrawn');
    });
    return { status: 200, body: { success: true as const } };
  },
});

export async function present(
  db: Queryable,
  row: InvitationRow,
  caller: Caller,
  config: InvitationServices['config'],
): Promise<Static<typeof Invitation>> {
  const [invitation] = await presentInvitations(db, [row], caller.id, config);
  if (!invitation) throw new Problem('invitation_not_found');
  return invitation;
}

/** @throws Problem `already_invited` if another invitation to the event has the contact */
async function requireNew(tx: Transaction, { subjectId }: InvitationRow, contact: string): Promise<void> {
  const found = await tx.query(
    sql`select 1 as found from invitations where subject_id = ${subjectId} and contact = ${contact}`,
  );
  if (found.length > 0) throw new Problem('already_invited');
}
