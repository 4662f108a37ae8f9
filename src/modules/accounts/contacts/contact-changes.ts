/** Contacts that people have asked to add, and not confirmed yet: the newest of each kind. */
import { dayMs } from '#base';
import { type Database, sql, type Transaction } from '#pg';
import { type MessageContact, type MessageKind, storedContact } from '../../../lib/contact.ts';

/** No code is valid for longer. */
const lifetimeMs = dayMs;

export async function insertContactChange(
  tx: Transaction,
  userId: string,
  { kind, value }: MessageContact,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into contact_changes (user_id, kind, value, requested_at) values (${userId}, ${kind}, ${value}, ${now})
    on conflict (user_id, kind) do update set value = excluded.value, requested_at = excluded.requested_at`);
}

export async function findContactChange(
  tx: Transaction,
  userId: string,
  kind: MessageKind,
): Promise<MessageContact | null> {
  const [row] = await tx.query<{ value: string }>(
    sql`select value from contact_changes where user_id = ${userId} and kind = ${kind}`,
  );
  return row ? storedContact(kind, row.value) : null;
}

/** Spares a newer change of the same kind. */
export async function deleteContactChange(
  tx: Transaction,
  userId: string,
  { kind, value }: MessageContact,
): Promise<void> {
  await tx.query(
    sql`delete from contact_changes where user_id = ${userId} and kind = ${kind} and value = ${value}`,
  );
}

export async function deleteExpiredContactChanges(db: Database, now: Date): Promise<void> {
  await db.query(
    sql`delete from contact_changes where requested_at <= ${new Date(now.getTime() - lifetimeMs)}`,
  );
}
