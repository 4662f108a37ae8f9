/** The job that sends invitations and reminders once the limits let them leave. */
import { newId } from '#base';
import { type Queryable, sql, type Transaction, transaction } from '#pg';
import { baseLanguage, type Language } from '../../../web/src/lib/language/languages.ts';
import { insertMails } from '../../mail/mails.ts';
import { insertCauses } from '../../outbox/causes.ts';
import { findOwner } from '../accounts/accounts.ts';
import { lockContacts } from '../accounts/codes/contact-locks.ts';
import type { EventRow } from '../events/present.ts';
import { invitedKinds } from './invitation-mails.ts';
import { findInvitedEvent, type InvitedTo } from './invited-dates.ts';
import { leavesAt } from './limits.ts';
import { causeOf } from './make-invitations.ts';
import { mayLeave, mayRemind } from './may-leave.ts';
import { contactOf, type InvitationKey, type InvitationRow, lockInvitation, storeDelivery } from './repo.ts';
import type { Send } from './sends.ts';
import type { InvitationServices } from './services.ts';
import { isWayOn, readWays } from './ways.ts';

const batchSize = 50;

type SendKey = Pick<Send, 'userId' | 'id' | 'contactHash'>;

/** Sends what is due. Several servers may run it at the same time: what one has locked, the others leave alone. */
export async function deliverInvitations(services: InvitationServices): Promise<void> {
  for (let found = batchSize; found === batchSize; ) {
    const due = await listDue(services.db, services.clock());
    found = due.length;
    for (const key of due) await transaction(services.db, (tx) => release(tx, services, key));
  }
}

const listDue = (db: Queryable, now: Date): Promise<SendKey[]> =>
  db.query(sql`
    select user_id, id, contact_hash from invitation_sends
    where leaves_at is null and due_at <= ${now} order by due_at, id limit ${batchSize}`);

/** Stores an invitation as a notification, or as a mail of the queue. */
async function release(
  tx: Transaction,
  services: InvitationServices,
  { userId, id, contactHash }: SendKey,
): Promise<void> {
  const now = services.clock();
  // Invitations to one contact leave one after the other.
  if (contactHash) await lockContacts(tx, [contactHash]);
  const [send] = await tx.query<Send>(sql`
    select user_id, id, subject_id, invitation_id, way, is_reminder, contact_hash, is_young, due_at, leaves_at
    from invitation_sends where user_id = ${userId} and id = ${id} and leaves_at is null for update skip locked`);
  if (!send) return;
  const [sent] = await tx.query<InvitationKey & InvitedTo>(sql`
    select subject_id, id, is_of_series from invitations
    where subject_id = ${send.subjectId} and id = ${send.invitationId}`);
  const row = sent ? await lockInvitation(tx, sent) : null;
  if (row?.status !== 'pending') {
    // It was withdrawn or answered, so it tells nobody, and counts towards no limit.
    await tx.execute(sql`delete from invitation_sends where user_id = ${userId} and id = ${id}`);
    if (row?.delivery === 'queued') await storeDelivery(tx, row, 'sent');
    return;
  }
  const event = await findInvitedEvent(tx, row, now);
  const isWanted = (send.isReminder ? mayRemind : mayLeave)(event, now);
  if (!isWanted || !isWayOn(await readWays(services), send.way)) {
    await tx.execute(sql`delete from invitation_sends where user_id = ${userId} and id = ${id}`);
    // A reminder that is late changes nothing about the invitation, which was sent.
    await storeDelivery(tx, row, send.isReminder && !isWanted ? 'sent' : 'failed');
    return;
  }
  if (send.way === 'inbox') await releaseCause(tx, send, row, { event, now });
  else await releaseMail(tx, services, send, row);
}

async function releaseCause(
  tx: Transaction,
  send: Send,
  row: InvitationRow,
  { event, now }: { event: EventRow | null; now: Date },
): Promise<void> {
  if (event) await tx.execute(insertCauses(causeOf(row, event.id)));
  await storeLeaving(tx, send, now);
  await storeDelivery(tx, row, 'sent');
}

/** A text is a mail of the queue to a phone number. */
async function releaseMail(
  tx: Transaction,
  { clock }: InvitationServices,
  send: Send,
  row: InvitationRow,
): Promise<void> {
  const contact = contactOf(row);
  if (!contact) return;
  const now = clock();
  const at = await findFreeTime(tx, send, now);
  await storeLeaving(tx, send, at);
  // The maker does not learn of the invitations of others to the address.
  if (at > now) await storeDelivery(tx, row, 'sent');
  const mail = {
    ...{ userId: row.id, id: newId(), subjectId: row.subjectId, sourceId: send.userId },
    kind: invitedKinds[send.isReminder ? 'reminder' : 'first'],
    ...{ address: contact.value, language: await languageOfInvited(tx, row), dueAt: at },
  };
  await tx.execute(await insertMails(tx, [mail], now));
}

/** When the limit of the address lets a message leave. */
async function findFreeTime(tx: Transaction, send: Send, now: Date): Promise<Date> {
  const ofSame = send.isYoung ? sql`is_young` : sql`user_id = ${send.userId}`;
  const before = await tx.query<{ leavesAt: Date }>(sql`
    select leaves_at from invitation_sends
    where contact_hash = ${send.contactHash} and leaves_at is not null and ${ofSame} order by leaves_at`);
  return leavesAt(
    before.map((each) => each.leavesAt.getTime()),
    send.isYoung,
    now,
  );
}

const storeLeaving = async (tx: Transaction, { userId, id }: Send, at: Date): Promise<void> => {
  await tx.execute(
    sql`update invitation_sends set leaves_at = ${at} where user_id = ${userId} and id = ${id}`,
  );
};

/** The language of the account that has the contact; otherwise that of the inviter. */
async function languageOfInvited(tx: Transaction, row: InvitationRow): Promise<Language> {
  const contact = contactOf(row);
  const owner = contact && (await findOwner(tx, contact));
  const rows = await tx.query<{ id: string; language: Language | null }>(sql`
    select id, language from users where id = any(${[owner ?? row.inviterId, row.inviterId]}::uuid[])`);
  const of = (id: string | null) => rows.find((each) => each.id === id)?.language;
  return of(owner) ?? of(row.inviterId) ?? baseLanguage;
}
