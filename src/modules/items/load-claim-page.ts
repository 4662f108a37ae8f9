/** Pages of claims, for the organizer of an event. */
import type { Static } from 'typebox';
import { unlessLate } from '../../cache/record-cache.ts';
import { readCursor, toPage } from '../../http/cursors.ts';
import { listClaims } from './claim-repo.ts';
import { toGivenClaim } from './present.ts';
import type { ClaimListQuery, ClaimPage } from './schemas.ts';
import type { ItemServices } from './services.ts';

/**
 * Loads a page of the claims on an event or, with `n`, on one of its items. Claims of accounts that are deleted in the
 * meantime are left out.
 */
export async function loadClaimPage(
  { db, people, config }: ItemServices,
  claimed: { eventId: string; n?: number },
  { cursor, limit }: Static<typeof ClaimListQuery>,
): Promise<Static<typeof ClaimPage>> {
  const found = await listClaims(db, claimed, readCursor(cursor, 'number', 'id'), limit + 1);
  const { rows, nextCursor } = toPage(found, limit, ({ n, id }) => [n, id]);
  const persons = await Promise.all(rows.map(({ userId }) => unlessLate(people.find(userId))));
  const claims = rows.map((row, i) => toGivenClaim(row, persons[i] ?? null, config.publicUrl));
  return { data: claims.filter((claim) => claim !== null), nextCursor };
}
