/** How new the answer of an address must be for an import. */
import type { Queryable } from '#pg';
import { hashOfAddress, type Wanted } from '../sources/shared-fetches.ts';
import { hourOf } from '../sources/source-hour.ts';
import { hasOtherImport, type RunKey } from './repo.ts';

type Services = { db: Queryable; config: { importTestOrigin?: string | undefined } };

/**
 * All people share one fetch in an hour. A person who imports the address again gets what it says now. The failure of another person's
 * fetch counts for no one else.
 */
export async function wantedOf(
  { db, config }: Services,
  { createdAt, ...key }: RunKey & { createdAt: Date },
  url: URL,
): Promise<Wanted> {
  if (await hasOtherImport(db, key, hashOfAddress(url)))
    return { since: createdAt, problemsSince: createdAt };
  const hourAgo = new Date(createdAt.getTime() - hourOf(url, config.importTestOrigin));
  return { since: hourAgo, problemsSince: createdAt };
}
