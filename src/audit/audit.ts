/**
 * The audit trail: sign-ins, locked contacts, changed contacts, ended sessions, actions of admins, and deleted accounts.
 */

import { randomBytes } from 'node:crypto';
import { keyedHash, minId, newIdAt, truncateAddress } from '#base';
import {
  createPartitions,
  type Database,
  deleteOlderThan,
  insertRows,
  type PartitionedTable,
  sql,
  type Transaction,
} from '#pg';
import type { Contact } from '../lib/contact.ts';

export const auditActions = [
  'account_created',
  'signed_in',
  // Five wrong codes lock the contact for a client network or device, for sign-in, for deletion or for its confirmation.
  'sign_in_locked',
  'deletion_locked',
  'confirmation_locked',
  // The detail is the kind of the contact: `phone` or `email`.
  'contact_changed',
  'contact_removed',
  // The operator printed an address that signs an admin in.
  'sign_in_link',
  // A refresh token was used twice, so its session was ended.
  'refresh_token_reused',
  'logged_out',
  'device_signed_out',
  'role_changed',
  'account_suspended',
  'account_restored',
  // The subject is the organizer; the detail is the id of the event, and, of a hidden one, the reason.
  'event_hidden',
  'event_shown',
  // By the organizer; the detail is the id of the event.
  'guest_removed',
  'flag_changed',
  // The detail names the settings of the instance.
  'settings_changed',
  // The detail is the number of the accounts.
  'demo_removed',
  'report_resolved',
  'report_reopened',
  // The detail is their number.
  'invitations_sent',
  'links_made',
  'link_withdrawn',
  'account_deleted',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** A person, or a contact that may belong to no account. */
type AuditSubject = { userId: string } | Contact;
/**
 * `address`: the client's address; null for a command-line command, and for a client that is gone. `by`: the admin who acts on
 * another account.
 */
export type AuditContext = { secretKey: string; now: Date; address: string | null; by?: string };

/** The context of an entry that an HTTP request causes. @param by as in `AuditContext` */
export const auditContextOf = (
  { config, clock }: { config: { secretKey: string }; clock: () => Date },
  { ip }: { ip: string | undefined },
  by?: string,
): AuditContext => ({
  secretKey: config.secretKey,
  now: clock(),
  address: ip ?? null,
  ...(by !== undefined && { by }),
});

/** The ids have the time of `at`, by which the table is partitioned. */
const auditTable: PartitionedTable = { name: 'audit', key: 'who', months: 1 };

/**
 * Entries refer to a subject by a keyed hash, so that entries without an account do not store the contact.
 */
const hashOf = (key: string, who: AuditSubject): Buffer =>
  keyedHash(key, 'audit', 'userId' in who ? `user\0${who.userId}` : `${who.kind}\0${who.value}`);

/** Inserts an entry in the transaction of the action: the database has both or neither. */
export async function recordAudit(
  tx: Transaction,
  { secretKey, now, address, by }: AuditContext,
  who: AuditSubject,
  what: AuditAction,
  detail = '',
): Promise<void> {
  const userId = 'userId' in who ? who.userId : await accountOf(tx, who);
  await tx.query(sql`
    insert into audit (who, id, at, what, user_id, by_id, address, detail)
    values (${hashOf(secretKey, who)}, ${newIdAt(now)}, ${now}, ${what}, ${userId}, ${by ?? null},
      ${truncateAddress(address ?? undefined)}, ${detail})`);
}

async function accountOf(tx: Transaction, contact: Contact): Promise<string | null> {
  const [row] = await tx.query<{ userId: string }>(
    sql`select user_id from contacts where contact = ${contact.value}`,
  );
  return row?.userId ?? null;
}

/**
 * Anonymizes the entries of a deleted account. What happened and when stays, under one new random value in
 * place of the hash of the id: an admin who still knows the id finds nothing with it. What an admin did to
 * others stays without the admin. Call this when the account is deleted in the same transaction: then no
 * other transaction adds an entry.
 */
export async function anonymizeAudit(
  tx: Transaction,
  context: AuditContext,
  userId: string,
  contacts: Contact[],
): Promise<void> {
  for (const contact of contacts)
    await tx.execute(sql`delete from audit where who = ${hashOf(context.secretKey, contact)}`);
  const entry = { id: newIdAt(context.now), at: context.now, what: 'account_deleted', detail: '' } as const;
  await anonymizeEntries(tx, context.secretKey, userId, [entry]);
}

/** Moves the entries about a contact that an account gives up to the account: the contact may get another owner. */
export async function keepAuditOf(
  tx: Transaction,
  secretKey: string,
  { userId, contact }: { userId: string; contact: Contact },
): Promise<void> {
  const entries = await tx.query<Omit<AuditRow, 'who'>>(sql`
    delete from audit where who = ${hashOf(secretKey, contact)}
    returning id, at, what, user_id, by_id, address, detail`);
  const who = hashOf(secretKey, { userId });
  const moved = entries.map((entry) => ({ ...entry, who, userId }));
  await tx.execute(
    insertRows('audit', moved, {
      ...{ who: 'bytea', id: 'uuid', at: 'timestamptz', what: 'text', userId: 'uuid', byId: 'uuid' },
      ...{ address: 'text', detail: 'text' },
    }),
  );
}

/**
 * Anonymizes entries that have become visible since the account was deleted. Leaves those of the contacts, which may be
 * about a new account.
 */
export const anonymizeLateAudit = (tx: Transaction, secretKey: string, userId: string): Promise<void> =>
  anonymizeEntries(tx, secretKey, userId, []);

type AnonymousEntry = Pick<AuditRow, 'id' | 'at' | 'what' | 'detail'>;

async function anonymizeEntries(
  tx: Transaction,
  secretKey: string,
  userId: string,
  further: AnonymousEntry[],
): Promise<void> {
  // Deleted and inserted: `who` is the distribution key, which an update cannot change on every engine.
  const entries = await tx.query<AnonymousEntry>(sql`
    delete from audit where who = ${hashOf(secretKey, { userId })}
    -- The reason of a suspension or of a hidden event may identify the person.
    returning id, at, what, case when what in ('account_suspended', 'event_hidden') then '' else detail end as detail`);
  const who = randomBytes(32);
  const remaining = [...entries, ...further].map((entry) => ({ who, ...entry }));
  await tx.execute(
    insertRows('audit', remaining, {
      who: 'bytea',
      id: 'uuid',
      at: 'timestamptz',
      what: 'text',
      detail: 'text',
    }),
  );
  await tx.execute(sql`update audit set by_id = null, address = null where by_id = ${userId}`);
}

/**
 * Selects the entries about a person and their contacts, oldest first. It leaves out what only admins may
 * see: the network of the admin.
 */
export const selectOwnAudit = (key: string, userId: string, contacts: Contact[]) => sql`
  select at, what,
    case when by_id is null then address end as address, detail
  from audit
  where who = any(${[{ userId }, ...contacts].map((who) => hashOf(key, who))}::bytea[]) order by at, id`;

/** Creates partitions for the time to come, and deletes the entries that are older than `retentionDays`. */
export async function maintainAudit(db: Database, now: Date, retentionDays: number): Promise<void> {
  await createPartitions(db, auditTable, now);
  await deleteOlderThan(db, auditTable, now, retentionDays);
}

export type AuditRow = {
  id: string;
  at: Date;
  what: AuditAction;
  userId: string | null;
  name: string | null;
  username: string | null;
  who: Buffer;
  byId: string | null;
  byName: string | null;
  address: string | null;
  detail: string;
};

const pageSize = 500;

/** Yields pages of the entries after `since`, the oldest first. */
export async function* listAudit(db: Database, since: Date): AsyncGenerator<AuditRow[]> {
  let from = { at: since, id: minId };
  for (;;) {
    const rows = await db.query<UnnamedAuditRow>(sql`
      select at, id, what, user_id, who, by_id, address, detail from audit
      where (at, id) > (${from.at}, ${from.id}) order by at, id limit ${pageSize}`);
    if (rows.length > 0) yield withNames(db, rows);
    const last = rows.at(-1);
    if (!last || rows.length < pageSize) return;
    from = last;
  }
}

/** A row without the current names of the accounts. */
type UnnamedAuditRow = Omit<AuditRow, 'name' | 'username' | 'byName'>;

/** A query of its own reads the names: `users` may be distributed by another key than `audit`. */
async function withNames(db: Database, rows: UnnamedAuditRow[]): Promise<AuditRow[]> {
  const ids = [...new Set(rows.flatMap(({ userId, byId }) => [userId ?? [], byId ?? []].flat()))];
  const people = await db.query<{ id: string; name: string; username: string }>(sql`
    select id, name, username from users where id = any(${ids}::uuid[])`);
  const personOf = new Map(people.map((person) => [person.id, person]));
  return rows.map((row) => {
    const person = personOf.get(row.userId ?? '');
    const by = personOf.get(row.byId ?? '');
    return {
      ...row,
      name: person?.name ?? null,
      username: person?.username ?? null,
      byName: by?.name ?? null,
    };
  });
}

type AuditFilter = {
  since: Date | null;
  until: Date | null;
  userId: string | null;
  what: AuditAction | undefined;
};

/**
 * Returns a page of entries, the newest first. With `userId`: entries about this person, and entries that
 * this person caused as an admin.
 * @param after the time and id of the last entry of the previous page; null for the first page
 */
export async function listAuditPage(
  db: Database,
  secretKey: string,
  { since, until, userId, what }: AuditFilter,
  after: [at: Date, id: string] | null,
  limit: number,
): Promise<AuditRow[]> {
  const rows = await db.query<UnnamedAuditRow>(sql`
    select at, id, what, user_id, who, by_id, address, detail from audit
    where true
      ${userId === null ? sql`` : sql`and (who = ${hashOf(secretKey, { userId })} or by_id = ${userId})`}
      ${what === undefined ? sql`` : sql`and what = ${what}`}
      ${since ? sql`and at >= ${since}` : sql``}
      ${until ? sql`and at <= ${until}` : sql``}
      ${after ? sql`and (at, id) < (${after[0]}, ${after[1]})` : sql``}
    order by at desc, id desc limit ${limit}`);
  return withNames(db, rows);
}
