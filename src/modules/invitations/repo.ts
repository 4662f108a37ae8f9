/** The table of invitations. Its distribution column is what people are invited to: an event, or all dates of a series. */
import { insertRows, isOneOf, type Queryable, raw, type Statement, sql, type Transaction } from '#pg';
import type { MessageContact, MessageKind } from '../../lib/contact.ts';
import { lockEventCounters } from '../attendance/lock-event-counters.ts';
import { type InvitedTo, lockDatesOf } from './invited-dates.ts';
import { hashInvitationToken } from './token.ts';

export const invitationStatuses = ['pending', 'going', 'interested', 'declined'] as const;
export type InvitationStatus = (typeof invitationStatuses)[number];

export const deliveries = ['none', 'queued', 'sent', 'failed'] as const;
/** `none`: a link that its maker passes on. */
export type Delivery = (typeof deliveries)[number];

export type InvitationKey = { subjectId: string; id: string };

export type InvitationRow = InvitationKey & {
  isOfSeries: boolean;
  inviterId: string;
  /** The account that was invited by its id (`isById`), or that has answered by the link. */
  userId: string | null;
  isById: boolean;
  /** The guest without an account that the link has made. */
  guestId: string | null;
  contactKind: MessageKind | null;
  /** In canonical form. */
  contact: string | null;
  name: string | null;
  message: string | null;
  /** Null for a link for many. */
  status: InvitationStatus | null;
  extraGuests: number;
  reply: string | null;
  delivery: Delivery;
  maxUses: number;
  uses: number;
  expiresAt: Date | null;
  createdAt: Date;
  answeredAt: Date | null;
  remindedAt: Date | null;
  /** How many times it was sent anew after a failure. */
  resends: number;
  reminders: number;
};

const columns: Statement = raw(`
  i.subject_id, i.id, i.is_of_series, i.inviter_id, i.user_id, i.is_by_id, i.guest_id, i.contact_kind, i.contact, i.name, i.message, i.status,
  i.extra_guests, i.reply, i.delivery, i.max_uses, i.uses, i.expires_at, i.created_at, i.answered_at, i.reminded_at, i.resends,
  i.reminders`);

/** @param selection of the rows of `invitations i`: WHERE and what follows */
export const selectInvitations = (selection: Statement): Statement =>
  sql`select ${columns} from invitations i ${selection}`;

/** The contact of an invitation; null for an account, a link, or a contact that was erased. */
export const contactOf = ({ contactKind, contact }: InvitationRow): MessageContact | null =>
  contactKind && contact !== null ? { kind: contactKind, value: contact } : null;

/** Whether the link answers for many people. */
export const isForMany = ({ maxUses }: Pick<InvitationRow, 'maxUses'>): boolean => maxUses > 1;

/** Finds an invitation by the token of its link, also an expired one; null for a text that is no token, or a withdrawn one. */
export async function findInvitationByToken(db: Queryable, token: string): Promise<InvitationRow | null> {
  const hash = hashInvitationToken(token);
  if (!hash) return null;
  const [found] = await db.query<InvitationRow>(selectInvitations(sql`where i.token_hash = ${hash}`));
  return found ?? null;
}

/** Finds an invitation by its id alone. */
export async function findInvitation(db: Queryable, id: string): Promise<InvitationRow | null> {
  const [found] = await db.query<InvitationRow>(selectInvitations(sql`where i.id = ${id}`));
  return found ?? null;
}

/**
 * Locks the counters of the event, as an answer does, and then the invitation against answers and changes, and reads it again; null if
 * it was withdrawn. Of a series, locks it, against other invitations and the making of dates, and the counters of all its dates.
 */
export async function lockInvitation(
  tx: Transaction,
  { subjectId, id, isOfSeries }: InvitationKey & InvitedTo,
): Promise<InvitationRow | null> {
  const dates = isOfSeries ? await lockDatesOf(tx, subjectId) : [subjectId];
  await lockEventCounters(tx, dates, sql`1 as locked`, true);
  const [found] = await tx.query<InvitationRow>(
    selectInvitations(sql`where i.subject_id = ${subjectId} and i.id = ${id} for update`),
  );
  return found ?? null;
}

/**
 * Lists the invitations to an event, the newest first.
 * @param before the id of the last invitation of the page before
 */
export const listInvitations = (
  db: Queryable,
  subjectId: string,
  { status, before, limit }: { status: InvitationStatus | undefined; before: string; limit: number },
): Promise<InvitationRow[]> =>
  db.query(
    selectInvitations(sql`
      where i.subject_id = ${subjectId} and i.id < ${before} ${status ? sql`and i.status = ${status}` : sql``}
      order by i.id desc limit ${limit}`),
  );

/** How many invitations to an event are in each status. */
export async function countInvitations(
  db: Queryable,
  subjectId: string,
): Promise<Record<InvitationStatus, number>> {
  const rows = await db.query<{ status: InvitationStatus; count: number }>(sql`
    select status, count(*)::int as count from invitations
    where subject_id = ${subjectId} and status is not null group by status`);
  return Object.assign(
    { pending: 0, going: 0, interested: 0, declined: 0 },
    Object.fromEntries(rows.map(({ status, count }) => [status, count])),
  );
}

/** `tokenHash`: null for an account that is invited by its id. */
export type NewInvitation = Pick<
  InvitationRow,
  | 'subjectId'
  | 'isOfSeries'
  | 'id'
  | 'inviterId'
  | 'userId'
  | 'isById'
  | 'contactKind'
  | 'contact'
  | 'name'
  | 'message'
  | 'status'
  | 'delivery'
  | 'maxUses'
  | 'expiresAt'
  | 'createdAt'
  | 'extraGuests'
  | 'answeredAt'
> & { tokenHash: Buffer | null };

export async function insertInvitations(tx: Transaction, rows: NewInvitation[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(
    insertRows('invitations', rows, {
      ...{ subjectId: 'uuid', id: 'uuid', isOfSeries: 'boolean', inviterId: 'uuid', userId: 'uuid' },
      isById: 'boolean',
      ...{ contactKind: 'text', contact: 'text', name: 'text', message: 'text', tokenHash: 'bytea' },
      ...{
        status: 'text',
        delivery: 'text',
        maxUses: 'int',
        expiresAt: 'timestamptz',
        createdAt: 'timestamptz',
        extraGuests: 'int',
        answeredAt: 'timestamptz',
      },
    }),
  );
}

/** Stores what became of the latest message. */
export async function storeDelivery(
  db: Queryable,
  { subjectId, id }: InvitationKey,
  delivery: Delivery,
): Promise<void> {
  await db.execute(
    sql`update invitations set delivery = ${delivery} where subject_id = ${subjectId} and id = ${id}`,
  );
}

/**
 * The invitations of an account: those by its id, those that it has answered, and those to contacts that it has confirmed; without
 * links for many.
 */
export const ofAccount = (userId: string, contacts: MessageContact[]): Statement => sql`
  (i.user_id = ${userId} or i.user_id is null and i.contact = any(${contacts.map(({ value }) => value)}::text[]))`;

/** Of an account, the invitations by its id to these events, or to their series. */
export async function listInvitationsById(
  db: Queryable,
  userId: string,
  eventIds: string[],
): Promise<{ eventId: string; id: string }[]> {
  if (eventIds.length === 0) return [];
  const events = await db.query<{ id: string; seriesId: string | null }>(
    sql`select id, series_id from events where ${isOneOf(sql`id`, eventIds)}`,
  );
  const subjects = events.flatMap(({ id, seriesId }) => [id, ...(seriesId === null ? [] : [seriesId])]);
  if (subjects.length === 0) return [];
  const found = await db.query<InvitationKey>(sql`
    select subject_id, id from invitations
    where ${isOneOf(sql`subject_id`, subjects)} and user_id = ${userId} and is_by_id`);
  const idOf = new Map(found.map(({ subjectId, id }) => [subjectId, id]));
  return events.flatMap(({ id: eventId, seriesId }) => {
    const id = idOf.get(eventId) ?? idOf.get(seriesId ?? '');
    return id ? [{ eventId, id }] : [];
  });
}
