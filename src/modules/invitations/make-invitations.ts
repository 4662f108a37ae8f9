import type { Static } from 'typebox';
import { newId } from '#base';
import { type ChangedRecords, recordChange } from '#fresh-records';
import { isOneOf, sql, type Transaction } from '#pg';
import { type AuditContext, recordAudit } from '../../audit/audit.ts';
import type { Caller } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { insertCauses } from '../../outbox/causes.ts';
import { hashContact } from '../accounts/codes/hashes.ts';
import { listGuestsWith } from '../accounts/guests.ts';
import { approveInvited } from '../attendance/requests/write-decisions.ts';
import { approveSeriesRequests } from '../attendance/series/decide-request.ts';
import { requireOrganizer } from '../events/policy.ts';
import type { EventRow } from '../events/present.ts';
import { lockVisibleEvent } from '../events/require-own-event.ts';
import { lockSeries, type Series } from '../events/series/repo.ts';
import { isVisible } from '../events/series/visible-series.ts';
import { listInvited } from './end-invitations.ts';
import { findInvitedEvent, type InvitedTo } from './invited-dates.ts';
import { markInvited } from './invited-people.ts';
import type { ReadInvitee } from './invitees.ts';
import { maxInvitations, maxLinks, quotaExceeded } from './limits.ts';
import { presentInvitations } from './present.ts';
import { contactOf, type InvitationRow, insertInvitations, selectInvitations } from './repo.ts';
import type { MadeInvitations } from './schemas.ts';
import { insertSends, lockSends, type NewSend, type Planner, type Send, waitingOf } from './sends.ts';
import type { InvitationServices } from './services.ts';
import { hashOfInvitation } from './token.ts';
import { isWayOn, type OpenWays, readWays, wayOf } from './ways.ts';

type Wanted = InvitedTo & {
  invitees: ReadInvitee[];
  message: string | null;
  context: AuditContext;
};

/**
 * Invites people, all or none. Locks the account of the caller, so its limits count one request after the other, and the event or the
 * series, so two requests do not invite the same person twice.
 * @throws Problem one of those of the endpoint
 */
export async function makeInvitations(
  tx: Transaction,
  services: InvitationServices,
  caller: Caller,
  { subjectId, isOfSeries, invitees, message, context }: Wanted,
): Promise<Static<typeof MadeInvitations>> {
  const { config, clock } = services;
  const now = clock();
  const planner = await lockSends(tx, caller.id, now);
  const to = { subjectId, isOfSeries };
  const { event, series } = await lockSubject(tx, to, caller, now);
  await requireAccounts(tx, invitees, event);
  requireInvitable(event, caller, now);
  const common = { ...to, inviterId: caller.id, message, createdAt: now };
  const { rows, made } = await combine(tx, subjectId, invitees, (invitee) => ({ ...common, ...invitee }));
  await requireRoom(tx, subjectId, made.length);
  const links = made.filter((row) => wayOf(row) === 'link').length;
  if (links > 0 && planner.links + links > maxLinks)
    throw quotaExceeded(`A person may make ${maxLinks} links a day.`);

  const sends = planSends(made, planner, await readWays(services), { secretKey: config.secretKey, now });
  await insertInvitations(
    tx,
    made.map((row) => ({
      ...row,
      tokenHash: row.isById ? null : hashOfInvitation(config.secretKey, row.id),
    })),
  );
  await insertSends(tx, sends);
  const records = await storeInvited(tx, { to, event }, made, now);
  await tellAccounts(tx, sends, made, event.id);
  await audit(tx, context, caller, { links, sent: made.length - links });
  const data = await presentInvitations(tx, rows, caller.id, config);
  if (records.length > 0) await recordChange(tx, { records });
  if (series) await approveSeriesRequests(tx, services, series, { userIds: listById(made), now });
  return {
    data,
    meta: { created: made.length, existing: rows.length - made.length, waiting: waitingOf(sends, now) },
  };
}

/** Guests without an account, and suspended accounts, cannot be invited. @throws Problem `self_relation`, `user_not_found` */
async function requireAccounts(tx: Transaction, invitees: ReadInvitee[], event: EventRow): Promise<void> {
  const ids = [...new Set(invitees.flatMap(({ userId }) => userId ?? []))];
  if (ids.length === 0) return;
  if (ids.includes(event.organizerId)) throw new Problem('self_relation');
  const found = await tx.query(sql`
    select 1 as found from users
    where ${isOneOf(sql`id`, ids)} and guest_of is null and suspended_at is null for key share`);
  if (found.length < ids.length) throw new Problem('user_not_found');
}

/** @throws Problem `not_organizer`, `event_cancelled`, `event_over` */
function requireInvitable(event: EventRow, caller: Caller, now: Date): void {
  requireOrganizer(event, caller);
  if (event.status === 'cancelled') throw new Problem('event_cancelled');
  if (event.endAt <= now) throw new Problem('event_over');
}

/** @throws Problem `invitations_full` */
export async function requireRoom(tx: Transaction, subjectId: string, added: number): Promise<void> {
  const [count] = await tx.query<{ count: number }>(
    sql`select count(*)::int as count from invitations where subject_id = ${subjectId}`,
  );
  if (added > 0 && (count?.count ?? 0) + added > maxInvitations) throw new Problem('invitations_full');
}

type Common = Pick<InvitationRow, 'subjectId' | 'isOfSeries' | 'inviterId' | 'message' | 'createdAt'>;

/**
 * The invitation of each person of a request: the one that exists, also from earlier in the request, or a new one.
 * @returns `rows`: one for each person, in their order
 */
async function combine(
  tx: Transaction,
  subjectId: string,
  invitees: ReadInvitee[],
  toNew: (invitee: ReadInvitee) => Common & ReadInvitee,
): Promise<{ rows: InvitationRow[]; made: InvitationRow[] }> {
  const ids = invitees.flatMap(({ userId }) => userId ?? []);
  const contacts = invitees.flatMap(({ contact }) => contact?.value ?? []);
  const existing = await tx.query<InvitationRow>(
    selectInvitations(sql`
      where i.subject_id = ${subjectId}
        and (i.is_by_id and ${isOneOf(sql`i.user_id`, ids)} or i.contact = any(${contacts}::text[]))`),
  );
  const known = new Map(existing.map((row) => [row.isById ? row.userId : row.contact, row]));
  const made: InvitationRow[] = [];
  const rows = invitees.map((invitee) => {
    const found = invitee.key === null ? undefined : known.get(invitee.key);
    if (found) return found;
    const row = newInvitation(toNew(invitee));
    made.push(row);
    if (invitee.key !== null) known.set(invitee.key, row);
    return row;
  });
  // Lists sort by the id: those of one request stay in its order.
  const sorted = made.map(({ id }) => id).sort();
  for (const [i, row] of made.entries()) row.id = sorted[i] ?? row.id;
  return { rows, made };
}

export const newInvitation = ({ contact, key: _, ...invitee }: Common & ReadInvitee): InvitationRow => ({
  ...invitee,
  id: newId(),
  isById: invitee.userId !== null,
  guestId: null,
  contactKind: contact?.kind ?? null,
  contact: contact?.value ?? null,
  status: invitee.maxUses > 1 ? null : 'pending',
  ...{ extraGuests: 0, reply: null, uses: 0, answeredAt: null, remindedAt: null, resends: 0, reminders: 0 },
  delivery: 'none',
});

/** Plans when each invitation leaves, and stores in it what its maker sees of that. */
function planSends(
  made: InvitationRow[],
  planner: Planner,
  ways: OpenWays,
  { secretKey, now }: { secretKey: string; now: Date },
): Send[] {
  return made.flatMap((row) => {
    const way = wayOf(row);
    if (!isWayOn(ways, way)) {
      row.delivery = 'failed';
      return [];
    }
    const send = planner.plan(newSend(row, { isReminder: false, secretKey }));
    const isTold = way === 'inbox' && send.dueAt <= now;
    row.delivery = way === 'link' ? 'none' : isTold ? 'sent' : 'queued';
    return { ...send, ...(isTold && { leavesAt: now }) };
  });
}

export function newSend(
  row: InvitationRow,
  { isReminder, secretKey }: { isReminder: boolean; secretKey: string },
): NewSend {
  const contact = contactOf(row);
  return {
    ...{ subjectId: row.subjectId, invitationId: row.id, way: wayOf(row), isReminder },
    contactHash: contact && hashContact(secretKey, contact),
  };
}

/** Notifies the accounts whose invitations need not wait. */
async function tellAccounts(
  tx: Transaction,
  sends: Send[],
  made: InvitationRow[],
  eventId: string,
): Promise<void> {
  const told = new Set(
    sends.flatMap(({ way, leavesAt, invitationId }) => (way === 'inbox' && leavesAt ? invitationId : [])),
  );
  const causes = made.filter(({ id }) => told.has(id)).flatMap((row) => causeOf(row, eventId));
  if (causes.length > 0) await tx.execute(insertCauses(causes));
}

/** @param eventId of a series, the date that the notification shows */
export const causeOf = ({ userId, inviterId: actorId }: InvitationRow, eventId: string) =>
  userId === null ? [] : [{ userId, kind: 'invitation' as const, subjectId: eventId, actorId, amount: 1 }];

/**
 * Accounts and guests who are invited, also by a contact that they have confirmed, are so at once; who was removed may answer again.
 * An invitation by the id of an account approves its request.
 * @returns what the caller records in the change log
 */
async function storeInvited(
  tx: Transaction,
  { to, event }: { to: InvitedTo; event: EventRow },
  made: InvitationRow[],
  now: Date,
): Promise<ChangedRecords[]> {
  const accounts = await listInvited(tx, made);
  const contacts = made.flatMap((row) => contactOf(row) ?? []);
  const guests = (await listGuestsWith(tx, contacts)).filter((guest) => guest.eventId === to.subjectId);
  const userIds = [...accounts, ...guests].map(({ userId }) => userId);
  await markInvited(tx, to, [...new Set(userIds)], { isRemoved: false });
  return to.isOfSeries ? [] : approveInvited(tx, event, listById(made), now);
}

const listById = (made: InvitationRow[]): string[] =>
  made.flatMap(({ isById, userId }) => (isById && userId ? [userId] : []));

/**
 * Locks the event, or the series against answers too: an invitation by the id of an account approves its request. `event`: of a series,
 * the date that invitations show.
 * @throws Problem `event_not_found`, `series_not_found`
 */
export async function lockSubject(
  tx: Transaction,
  to: InvitedTo,
  caller: Caller,
  now: Date,
): Promise<{ event: EventRow; series: Series | null }> {
  if (!to.isOfSeries) return { event: await lockVisibleEvent(tx, to.subjectId, caller), series: null };
  const series = await lockSeries(tx, to.subjectId);
  const event = series && (await isVisible(tx, series, caller)) ? await findInvitedEvent(tx, to, now) : null;
  if (!series || !event) throw new Problem('series_not_found');
  return { event: { ...event, organizerId: series.organizerId }, series };
}

async function audit(
  tx: Transaction,
  context: AuditContext,
  { id: userId }: Caller,
  { links, sent }: { links: number; sent: number },
): Promise<void> {
  if (sent > 0) await recordAudit(tx, context, { userId }, 'invitations_sent', String(sent));
  if (links > 0) await recordAudit(tx, context, { userId }, 'links_made', String(links));
}
