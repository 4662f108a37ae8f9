/** Makes a source of an address, with the import that begins to follow it. */
import { newId } from '#base';
import { sql, type Transaction } from '#pg';
import { Problem } from '../../../lib/errors.ts';
import type { Run } from '../runs/repo.ts';
import { hashOfAddress } from './shared-fetches.ts';
import {
  type ImportDefaults,
  insertSource,
  listSources,
  lockSourceAt,
  makeDue,
  requestFetch,
  setAutoPublish,
} from './source-repo.ts';
import { findOpenRun, insertSourceRun } from './source-runs.ts';

const maxSources = 20;

export type NewFollowing = {
  userId: string;
  url: URL;
  /** Undefined: as it is, or off. */
  autoPublish: boolean | undefined;
  options: ImportDefaults;
  /** How old an answer of the address may be. */
  since: Date;
};

/**
 * The same address again is the same source: its open import is returned, or a new one. The lock on the account lets concurrent
 * requests of the person come one after another.
 * @throws Problem `sources_full`
 */
export async function followAddress(
  tx: Transaction,
  { userId, url, autoPublish, options, since }: NewFollowing,
  now: Date,
): Promise<Run> {
  await tx.query(sql`select 1 from users where id = ${userId} for no key update`);
  const addressHash = hashOfAddress(url);
  const known = await lockSourceAt(tx, userId, addressHash);
  if (known) {
    if (autoPublish !== undefined) await setAutoPublish(tx, known, autoPublish);
    if (known.dueAt === null) await requestFetch(tx, known, now);
    else await makeDue(tx, known, now);
    return (await findOpenRun(tx, known)) ?? (await insertSourceRun(tx, known, { status: 'reading' }, now));
  }
  if ((await listSources(tx, userId)).length >= maxSources) throw new Problem('sources_full');
  const source = { userId, id: newId(), addressHash, options };
  await insertSource(
    tx,
    { ...source, url: url.href, autoPublish: autoPublish ?? false, wantedSince: since },
    now,
  );
  return await insertSourceRun(tx, source, { status: 'reading' }, now);
}
