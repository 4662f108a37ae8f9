/** Profiles and relations as they are in the database. Simultaneous requests share statements. */
import type { Replicas } from '#fresh-records';
import { createLoader, type Database } from '#pg';
import { blockLoader } from './blocks.ts';
import type { FoundRow } from './present.ts';
import { listProfiles, type ProfileKey, type SeenProfile } from './repo.ts';
import { searchUsers, type UserSearch } from './search/repo.ts';

export type Profiles = {
  /** Null for an unknown id. */
  find(key: ProfileKey): Promise<SeenProfile | null>;
  /** Ids of the people whom `userId` blocked, and who blocked `userId`. */
  hiddenFrom(userId: string): Promise<string[]>;
  search(search: UserSearch): Promise<FoundRow[]>;
};

export const createProfiles = (db: Database, replicas: Replicas): Profiles => ({
  find: createLoader((keys: ProfileKey[]) => listProfiles(db, keys), {
    keyOf: ({ id, viewerId }) => id + viewerId,
  }),
  hiddenFrom: blockLoader(db, true),
  // Small batches at a time: the words of some searches are in many names, and the others of the batch wait for them.
  search: createLoader(
    (searches: UserSearch[]) => replicas.read((database) => searchUsers(database, searches)),
    { keyOf: (search) => Object.values(search).join(), maxBatchSize: 16, concurrency: 4 },
  ),
});
