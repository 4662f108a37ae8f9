/** The invitations of an account: those by its id, and those to contacts that it has confirmed. */
import { Type } from 'typebox';
import { maxId } from '#base';
import { type Queryable, sql } from '#pg';
import { cursorQuery, readCursor, toPage } from '../../../http/cursors.ts';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { Problem } from '../../../lib/errors.ts';
import { readId } from '../../../lib/ids.ts';
import { toListedEvent } from '../../events/present.ts';
import { toPerson } from '../../people/present.ts';
import { listContactsOf } from '../invited-people.ts';
import { openInvitation } from '../open-invitation.ts';
import { findInvitation, type InvitationRow, ofAccount, selectInvitations } from '../repo.ts';
import { answerAsAccount } from './answer-as-account.ts';
import { answerProblems, readAnswer, requireEventFor } from './answer-invitation.ts';
import { InvitationAnswer, InvitationAnswered, type OwnInvitation, OwnInvitationPage } from './schemas.ts';
import type { AnswerServices } from './services.ts';

export const listMyInvitations = defineEndpoint({
  method: 'GET',
  path: '/v1/me/invitations',
  tag: 'Me',
  summary: 'List the invitations that you have received',
  description:
    'Those of your account, and those to contacts that you have confirmed, the newest first. Until you answer, the organizer does ' +
    'not learn that a contact is yours.',
  caller: 'fresh',
  query: Type.Object(cursorQuery),
  response: { 200: OwnInvitationPage },

  async handler({ caller, query }, services: AnswerServices) {
    const [before] = readCursor(query.cursor, 'id') ?? [maxId];
    const found = await listInvitationsOf(services.db, caller.id, before, query.limit + 1);
    const { rows, nextCursor } = toPage(found, query.limit, ({ id }) => [id]);
    const shown = await Promise.all(rows.map((row) => present(services, row, caller.id)));
    return { status: 200, body: { data: shown.filter((each) => each !== null), nextCursor } };
  },
});

async function listInvitationsOf(
  db: Queryable,
  userId: string,
  before: string,
  limit: number,
): Promise<InvitationRow[]> {
  const contacts = await listContactsOf(db, userId);
  return await db.query<InvitationRow>(
    selectInvitations(sql`
      where ${ofAccount(userId, contacts)} and i.id < ${before} order by i.id desc limit ${limit}`),
  );
}

/** Null for an invitation that cannot be answered any more. */
async function present(
  services: AnswerServices,
  row: InvitationRow,
  userId: string,
): Promise<OwnInvitation | null> {
  const { people, viewerStates, config } = services;
  const [open, inviter] = await Promise.all([openInvitation(services, row), people.find(row.inviterId)]);
  if (!open || !inviter) return null;
  const own = await viewerStates.find({ eventId: open.event.row.id, userId });
  const { myRsvp, isSaved } = own;
  return {
    id: row.id,
    event: { ...toListedEvent(open.event.row, config.publicUrl), myRsvp, isSaved },
    invitedBy: toPerson(inviter, config.publicUrl),
    message: row.message,
    status: row.status,
    ...(row.isOfSeries && { seriesId: row.subjectId }),
  };
}

export const answerMyInvitation = defineEndpoint({
  method: 'POST',
  path: '/v1/me/invitations/:id/answer',
  tag: 'Me',
  retry: 'idempotent',
  summary: 'Answer an invitation that you have received',
  description:
    'As POST /v1/invitation/answer. The organizer learns that the invitation is that of your account.',
  caller: 'fresh',
  params: Type.Object({ id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0f1'] }) }),
  body: InvitationAnswer,
  response: { 200: InvitationAnswered },
  problems: answerProblems,

  async handler({ caller, params, body, idempotency }, services: AnswerServices) {
    const answer = readAnswer(body);
    const invitation = await requireOwn(services, readId(params.id, 'invitation_not_found'), caller.id);
    requireEventFor(invitation, answer);
    return answerAsAccount(services, caller, invitation, answer, idempotency);
  },
});

/** @throws Problem `invitation_not_found` */
async function requireOwn(services: AnswerServices, id: string, userId: string): Promise<InvitationRow> {
  const [row, contacts] = await Promise.all([
    findInvitation(services.db, id),
    listContactsOf(services.db, userId),
  ]);
  const isOwn =
    row?.userId === null ? contacts.some(({ value }) => value === row.contact) : row?.userId === userId;
  if (!row || !isOwn || !(await openInvitation(services, row))) throw new Problem('invitation_not_found');
  return row;
}
