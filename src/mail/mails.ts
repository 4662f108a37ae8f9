/**
 * The queue of mails, as a table. A mail is stored in the transaction of what causes it, and any server sends it.
 *
 * What makes several servers, and servers that are killed, send each mail:
 *
 * - A server takes a mail by one statement, which moves its `due_at` to the end of a lease. Of two servers, the second finds the
 *   mail no longer due. While the mail server has not replied, a job extends the lease.
 * - The row stays `queued` until the mail server's reply is stored. If the server is killed before that, the lease ends, and
 *   another server sends the mail: it is never lost. The recipient gets a second copy only if the mail server had accepted the
 *   first one and its reply was not stored; both have the same `Message-ID`, which is the id of the row.
 * - Each taking counts an attempt. A refusal is stored only for the attempt that it is about, so a server that was suspended in
 *   the meantime does not end what another server is sending. An acceptance is always stored: the mail was sent.
 */
import {
  deleteRows,
  empty,
  insertRows,
  isOneOf,
  type Queryable,
  type Statement,
  sql,
  type Transaction,
  updateRows,
} from '#pg';
import type { Language } from '../../web/src/lib/language/languages.ts';

/** `queued`: to be sent. `sent`: the mail server accepted it. `failed`: refused for good, or for two days. */
export const mailStates = ['queued', 'sent', 'failed', 'suppressed'] as const;
export type MailState = (typeof mailStates)[number];

export type MailKey = { userId: string; id: string };

export type NewMail = MailKey & {
  /** The kind of the notification that the mail is about, or a `MailKind`. */
  kind: string;
  /** The event or the person that the mail is about; the recipient for kinds about the server. */
  subjectId: string;
  /** The person who caused it. The persons with mails in the queue take turns. */
  sourceId: string;
  address: string;
  language: Language;
  /** Before this time it is not sent; now, if it is left out. */
  dueAt?: Date;
};

export type QueuedMail = Omit<NewMail, 'dueAt'> & {
  attempts: number;
  createdAt: Date;
  /** Null while the mail server has not refused this mail. */
  refusedAt: Date | null;
};

/** How long a mail belongs to the server that has taken it, unless the server extends it. */
export const leaseMs = 60_000;

/**
 * Reads what decides about the order in which each person who caused mails has them sent. The turn of a mail is one after that
 * of the person's mail before, and at least the turn that is due: a person who caused 100,000 mails delays the first mail of
 * another person by one mail for each person in the queue. Two transactions may give out equal turns, which delays a mail by
 * another one.
 *
 * A mail takes the place of one that says the same and that no server has taken yet: of the same kind and subject, to the same
 * address. The row stays locked until the transaction ends, so a server that takes the mail meanwhile waits, and writes what the
 * transaction stores.
 * @param sourceIds the persons who cause the mails
 * @returns makes the statement that stores mails of these persons
 */
export async function prepareMails(
  db: Queryable,
  sourceIds: string[],
  now: Date,
): Promise<(mails: NewMail[]) => Statement> {
  const [[front], latest] = await Promise.all([
    db.query<{ turn: number | null }>(sql`
      select min(turn) as turn from mails where state = 'queued' and due_at <= ${now}`),
    db.query<{ sourceId: string; turn: number }>(sql`
      select source_id, max(turn) as turn from mails
      where state = 'queued' and source_id = any(${sourceIds}::uuid[]) group by source_id`),
  ]);
  const turns = new Map(latest.map(({ sourceId, turn }) => [sourceId, turn]));
  const toRow = (mail: NewMail) => {
    const turn = Math.max((turns.get(mail.sourceId) ?? -1) + 1, front?.turn ?? 0);
    turns.set(mail.sourceId, turn);
    return { dueAt: now, ...mail, state: 'queued', turn, attempts: 0, createdAt: now };
  };
  return (mails) => sql`
    ${insertRows('mails', mails.map(toRow), {
      ...{ userId: 'uuid', kind: 'text', subjectId: 'uuid', address: 'text', id: 'uuid', sourceId: 'uuid' },
      ...{ language: 'text', state: 'text', turn: 'int', attempts: 'int' },
      ...{ dueAt: 'timestamptz', createdAt: 'timestamptz' },
    })} order by 1, 2, 3, 4
    on conflict (user_id, kind, subject_id, address) where state = 'queued' and attempts = 0
    do update set id = excluded.id, language = excluded.language, due_at = excluded.due_at`;
}

/** The statement that stores mails. */
export const insertMails = async (db: Queryable, mails: NewMail[], now: Date): Promise<Statement> =>
  (await prepareMails(db, [...new Set(mails.map(({ sourceId }) => sourceId))], now))(mails);

/** Of these people, when the last mail of each of these kinds and its subject was sent, without those that wait to be sent. */
export const listLastMails = (
  db: Queryable,
  { userIds, kinds, after }: { userIds: string[]; kinds: string[]; after: Date },
): Promise<{ userId: string; kind: string; subjectId: string; lastAt: Date }[]> =>
  db.query(sql`
    select user_id, kind, subject_id, max(coalesce(ended_at, created_at)) as last_at from mails
    where user_id = any(${userIds}::uuid[]) and kind = any(${kinds}::text[]) and coalesce(ended_at, created_at) > ${after}
      and (state <> 'queued' or attempts > 0)
    group by user_id, kind, subject_id`);

/** How many mails about subjects, such as an event and its announcements, are in each state. */
export async function countMailsAbout(
  db: Queryable,
  subjectIds: string[],
  kinds: string[],
): Promise<Map<MailState, number>> {
  const rows = await db.query<{ state: MailState; count: number }>(sql`
    select state, count(*)::int as count from mails
    where subject_id = any(${subjectIds}::uuid[]) and kind = any(${kinds}) group by state`);
  return new Map(rows.map(({ state, count }) => [state, count]));
}

/** How a mail of the queue is sent: to a mail address, or as a text message to a phone number, which begins with `+`. */
export type Medium = 'mail' | 'text';
export const mediumOf = ({ address }: Pick<QueuedMail, 'address'>): Medium =>
  address.startsWith('+') ? 'text' : 'mail';

/** Finds the mails of a way whose turn is next. */
export const findDueMails = (
  db: Queryable,
  now: Date,
  { way, limit }: { way: Medium; limit: number },
): Promise<MailKey[]> =>
  db.query<MailKey>(sql`
    select user_id, id from mails
    where state = 'queued' and due_at <= ${now}
      and ${way === 'text' ? sql`address like '+%'` : sql`address not like '+%'`}
    order by turn, due_at limit ${limit}`);

/** Takes a mail for `leaseMs`. @returns null if another server has taken it, or it is gone */
export async function takeMail(
  db: Queryable,
  now: Date,
  { userId, id }: MailKey,
): Promise<QueuedMail | null> {
  const [mail] = await db.query<QueuedMail>(sql`
    update mails set attempts = attempts + 1, due_at = ${leaseEnd(now)}
    where user_id = ${userId} and id = ${id} and state = 'queued' and due_at <= ${now}
    returning user_id, id, kind, subject_id, source_id, address, language, attempts, created_at, refused_at`);
  return mail ?? null;
}

/** Extends the leases of mails that this server is sending. */
export async function extendLeases(db: Queryable, now: Date, keys: MailKey[]): Promise<void> {
  if (keys.length === 0) return;
  await db.execute(
    updateRows(
      'mails m',
      keys,
      keyTypes,
      {},
      sql`due_at = greatest(m.due_at, ${leaseEnd(now)}::timestamptz)`,
    ),
  );
}

const keyTypes = { userId: 'uuid', id: 'uuid' } as const;
const leaseEnd = (now: Date): Date => new Date(now.getTime() + leaseMs);

/** Stores what became of a mail. @param reply the words of the mail server */
export async function endMail(
  db: Queryable,
  { userId, id, attempts }: QueuedMail,
  state: Exclude<MailState, 'queued'>,
  { reply, now }: { reply: string; now: Date },
): Promise<void> {
  const isMine = state === 'sent' ? empty : sql`and state = 'queued' and attempts = ${attempts}`;
  await db.execute(sql`
    update mails set state = ${state}, reply = ${reply}, ended_at = ${now}
    where user_id = ${userId} and id = ${id} ${isMine}`);
}

/**
 * Stores that a mail is to be sent again at `dueAt`.
 * @param reply the words of the mail server
 * @param refusedAt when it refused the mail for the first time; null if it has not
 */
export async function postponeMail(
  db: Queryable,
  { userId, id, attempts }: QueuedMail,
  { reply, dueAt, refusedAt }: { reply: string; dueAt: Date; refusedAt: Date | null },
): Promise<void> {
  await db.execute(sql`
    update mails set due_at = ${dueAt}, reply = ${reply}, refused_at = ${refusedAt}
    where user_id = ${userId} and id = ${id} and state = 'queued' and attempts = ${attempts}`);
}

/** Deletes a mail that tells nothing new any more. */
export async function dropMail(db: Queryable, { userId, id }: MailKey): Promise<void> {
  await db.execute(sql`delete from mails where user_id = ${userId} and id = ${id}`);
}

/** Deletes the mails to a person, and those about the person. */
export async function deleteMailsOf(tx: Transaction, userId: string): Promise<void> {
  await tx.execute(sql`delete from mails where user_id = ${userId} or subject_id = ${userId}`);
}

/** Deletes the mails to recipients, such as those of invitations. */
export async function deleteMailsTo(tx: Transaction, userIds: string[]): Promise<void> {
  await tx.execute(sql`delete from mails where ${isOneOf(sql`user_id`, userIds)}`);
}

/** Deletes the mails to people at addresses. */
export async function deleteMailsAt(
  tx: Transaction,
  recipients: { userId: string; address: string }[],
): Promise<void> {
  if (recipients.length > 0)
    await tx.execute(deleteRows('mails m', recipients, { userId: 'uuid', address: 'text' }));
}

/** Deletes the mails about a subject that have not left yet. */
export async function deleteQueuedMailsAbout(tx: Transaction, subjectId: string): Promise<void> {
  await tx.execute(sql`delete from mails where subject_id = ${subjectId} and state = 'queued'`);
}

/** The number of rows that one statement of maintenance deletes. */
const deletedAtOnce = 5_000;

/** Deletes the mails that were sent or failed before a time. @returns whether there may be more */
export async function deleteOldMails(db: Queryable, before: Date): Promise<boolean> {
  const keys = await db.query<MailKey>(sql`
    select user_id, id from mails where ended_at < ${before} order by ended_at limit ${deletedAtOnce}`);
  if (keys.length > 0) await db.execute(deleteRows('mails m', keys, keyTypes));
  return keys.length === deletedAtOnce;
}

export type MailRow = QueuedMail & {
  state: MailState;
  reply: string;
  dueAt: Date;
  endedAt: Date | null;
};

/** Lists mails, the newest first. @param after the id of the last mail of the page before */
export const listMails = (
  db: Queryable,
  { state, after, limit }: { state: MailState | undefined; after: string; limit: number },
): Promise<MailRow[]> =>
  db.query<MailRow>(sql`
    select user_id, id, kind, subject_id, source_id, address, language, attempts, created_at, refused_at, state, reply, due_at, ended_at
    from mails where id < ${after} ${state ? sql`and state = ${state}` : empty} order by id desc limit ${limit}`);
