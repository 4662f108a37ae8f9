import type { Queryable } from '#pg';
import type { Viewer } from '../../../identity/caller.ts';
import { toGuest } from '../../attendance/guests/list-guests.ts';
import { findGuests } from '../../attendance/guests/repo.ts';
import { toClaim } from '../../items/present.ts';
import { listClaimsOfPeople } from '../../items/repo.ts';
import type { GuestServices } from '../services.ts';
import type { AddedGuest } from './schemas.ts';

/** Guests of an event with their claims, for the organizer, in the order of their ids. Suspended ones are left out. */
export async function readAddedGuests(
  db: Queryable,
  { config }: Pick<GuestServices, 'config'>,
  guests: { eventId: string; viewer: Viewer; userIds: string[] },
): Promise<AddedGuest[]> {
  const [rows, claims] = await Promise.all([
    findGuests(db, guests),
    listClaimsOfPeople(db, guests.eventId, guests.userIds),
  ]);
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  const claimsOf = Map.groupBy(claims, ({ userId }) => userId);
  return guests.userIds.flatMap((id) => {
    const row = rowOf.get(id);
    if (!row) return [];
    const own = claimsOf.get(id) ?? [];
    return [{ ...toGuest(row, config.publicUrl), claims: own.map(toClaim), refused: [] }];
  });
}
