/** People as other records name them, in memory; and who blocked whom. */
import { createRecordCache, type Source } from '#fresh-records';
import type { Database } from '#pg';
import { recordKinds } from '../../schema/record-kinds.ts';
import { blockLoader } from './blocks.ts';
import type { PersonRow } from './present.ts';
import { listPeople, type VersionedPerson } from './repo.ts';

export type People = {
  /** Null for an unknown id. Requires that the request has read the change log. */
  find(id: string): PersonRow | Promise<PersonRow | null>;
  /** Ids of the people whom `userId` blocked. */
  blockedBy(userId: string): Promise<string[]>;
};

/** The share of the memory for caches that people may take. */
const cacheShare = 0.04;
/** A person has only short texts. */
const bytesOfPerson = 600;

export function createPeople(db: Database, source: Source, cacheBytes: number): People {
  return {
    find: createRecordCache<VersionedPerson>(source, {
      kind: recordKinds.person,
      maxBytes: cacheBytes * cacheShare,
      sizeOf: () => bytesOfPerson,
      read: listPeople,
      idOf: ({ id }) => id,
      versionOf: ({ version }) => version,
    }),
    blockedBy: blockLoader(db, false),
  };
}
