/**
 * Sessions in memory, validated against the change log on each request: a session that ended is refused at
 * once.
 */
import { createRecordCache, type Source } from '#fresh-records';
import { recordKinds } from '../schema/record-kinds.ts';
import { type LiveSession, listLiveSessions, sessionKey } from './sessions.ts';
import type { TokenIds } from './tokens.ts';

export type SessionCache = {
  /** Reads the change log, then returns the current session; null if there is no such session. */
  find(ids: TokenIds): Promise<LiveSession | null>;
  /** Returns the session as of the last time that this server read the change log. */
  findCached(ids: TokenIds): LiveSession | Promise<LiveSession | null>;
};

/** The share of the memory for caches that sessions may take. */
const cacheShare = 0.06;
const bytesOfSession = 650;

export function createSessionCache(source: Source, cacheBytes: number): SessionCache {
  const cached = createRecordCache<LiveSession>(source, {
    kind: recordKinds.session,
    maxBytes: cacheBytes * cacheShare,
    sizeOf: () => bytesOfSession,
    read: listLiveSessions,
    idOf: ({ userId, id }) => sessionKey({ userId, sessionId: id }),
    versionOf: ({ version }) => version,
  });
  return {
    find: async (ids) => {
      await source.changeLog.catchUp();
      return cached(sessionKey(ids));
    },
    findCached: (ids) => cached(sessionKey(ids)),
  };
}
