import { type Database, lockEach, sql, type Transaction, transaction } from '#pg';
import { deleteGuests, eraseGuests, keptMs } from '../accounts/guests.ts';
import { eraseMessages } from '../attendance/requests/repo.ts';
import { deleteCommentsOf } from '../comments/people-leave.ts';
import { eraseNotes } from '../items/repo.ts';
import type { GuestServices } from './services.ts';

/** Guests that a transaction erases. */
const batchSize = 200;

/** `eventId`: null for a guest whose event is gone. */
type OldGuest = { id: string; guestOf: string; eventId: string | null };

/**
 * Erases what identifies guests without an account, 30 days after the end of their event: names, contacts, notes, messages, comments and tokens. RSVPs
 * and claims stay, so the counts of the event do. Guests whose event is gone are deleted: a server of the release before this
 * feature deletes events alone. Several servers may run it at the same time: they erase the same.
 */
export async function eraseOldGuests({ db, clock }: Pick<GuestServices, 'db' | 'clock'>): Promise<void> {
  const before = new Date(clock().getTime() - keptMs);
  for (let found = batchSize; found === batchSize; ) {
    const guests = await listOldGuests(db, before);
    found = guests.length;
    if (found > 0) await transaction(db, (tx) => erase(tx, guests));
  }
}

async function erase(tx: Transaction, guests: OldGuest[]): Promise<void> {
  const ids = guests.map(({ id }) => id);
  await lockEach(ids, String, (id) => tx.query(sql`select 1 from users where id = ${id} for update`));
  const orphans = guests.filter(({ eventId }) => eventId === null);
  const old = guests.filter(({ eventId }) => eventId !== null);
  const keys = old.map(({ id, guestOf }) => ({ userId: id, eventId: guestOf }));
  await tx.execute(eraseMessages(keys));
  await eraseNotes(tx, keys);
  await deleteCommentsOf(tx, ids);
  await eraseGuests(tx, ids);
  await deleteGuests(
    tx,
    orphans.map(({ id }) => id),
  );
}

/** Guests who are not erased yet, of events that ended before a time or are gone. */
const listOldGuests = (db: Database, before: Date): Promise<OldGuest[]> =>
  db.query(sql`
    with named as materialized (
      select id, guest_of from users
      where guest_of is not null and (name <> '' or phone is not null or email is not null)
    )
    select n.id, n.guest_of, e.id as event_id from named n left join events e on e.id = n.guest_of
    where e.id is null or e.end_at < ${before} order by n.id limit ${batchSize}`);
