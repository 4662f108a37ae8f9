import type { Transaction } from '#pg';
import { lockGuestsOf } from '../accounts/guests.ts';
import { listSeriesOfKey } from '../events/imports.ts';
import { listComingIds } from '../events/series/occurrences.ts';

/** Locks the guests without an account of the coming dates that an earlier import made: before the series, as in LOCK_ORDER. */
export async function lockGuestsOfKey(
  tx: Transaction,
  organizerId: string,
  key: string,
  now: Date,
): Promise<void> {
  const coming: string[] = [];
  for (const id of await listSeriesOfKey(tx, organizerId, key))
    coming.push(...(await listComingIds(tx, id, now)));
  await lockGuestsOf(tx, coming);
}
