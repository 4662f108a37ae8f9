/** Profiles and relations as they are in the database. Simultaneous requests share statements. */
import { createLoader } from '../../db/batching.ts';
import type { Database } from '../../db/client.ts';
import {
  type FollowedKey,
  listBlocked,
  listFollowed,
  listProfiles,
  type ProfileKey,
  type SeenProfile,
} from './repo.ts';

export type Profiles = {
  /** Null for an unknown id. */
  find(key: ProfileKey): Promise<SeenProfile | null>;
  /** Ids of the people whom `userId` blocked, and who blocked `userId`. */
  hiddenFrom(userId: string): Promise<string[]>;
  /** Which of `ids` the person follows. */
  followed(key: FollowedKey): Promise<Set<string>>;
};

export const createProfiles = (db: Database): Profiles => ({
  find: createLoader((keys: ProfileKey[]) => listProfiles(db, keys), {
    keyOf: ({ id, viewerId }) => id + viewerId,
  }),
  hiddenFrom: blockLoader(db, true),
  followed: createLoader((keys: FollowedKey[]) => listFollowed(db, keys), {
    keyOf: ({ userId, ids }) => userId + ids,
  }),
});

/** @param orBlockedBy whether also those count who blocked the person */
export const blockLoader = (db: Database, orBlockedBy: boolean): ((userId: string) => Promise<string[]>) =>
  createLoader(
    async (ids: string[]) => {
      const rows = Map.groupBy(await listBlocked(db, ids, orBlockedBy), ({ userId }) => userId);
      return ids.map((id) => rows.get(id)?.map(({ otherId }) => otherId) ?? []);
    },
    { keyOf: (id) => id },
  );
