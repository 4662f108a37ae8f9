/** The part of a session that authentication needs, and its cache. */
import { type ChangedRecords, createRecordCache, type Source } from '#fresh-records';
import { isOneOf, type Queryable, rowsOf, sql } from '#pg';
import { recordKinds } from '../schema/record-kinds.ts';
import type { Viewer } from './caller.ts';
import type { Token, TokenIds } from './tokens.ts';

export type LiveSession = {
  userId: string;
  id: string;
  role: Viewer['role'];
  /**
   * Constant for a session: a suspension ends all sessions, and so does the restoration. A session of a
   * suspended account may only be used to export and delete the person's data.
   */
  isSuspended: boolean;
  /** The only event in which the token is valid: that of a guest token. Null for other sessions. */
  eventId: string | null;
  /** False for a guest without an account. */
  hasAccount: boolean;
  /** The hash of the access token, or of the token of a browser session or guest. */
  accessHash: Buffer;
  accessExpiresAt: Date;
  /** The latest end of the session. */
  endsAt: Date;
  /** The version of the record in the change log. */
  version: number;
};

/**
 * The key of a session in the session cache and the change log. Every transaction that ends or changes a
 * session, or changes its person's role, records a change of this key.
 */
export const sessionKey = ({ userId, sessionId }: TokenIds): string => `${userId} ${sessionId}`;

/** Sessions with their people's roles, in any order, without the sessions that do not exist. */
export async function listLiveSessions(db: Queryable, keys: string[]): Promise<LiveSession[]> {
  const ids = keys.map((key) => key.split(' ')).map(([userId, id]) => ({ userId, id }));
  return await db.query<LiveSession>(sql`
    select s.user_id, s.id, u.role, u.suspended_at is not null as is_suspended, s.event_id,
      u.guest_of is null as has_account, s.access_hash, s.access_expires_at, s.ends_at, s.version::float8 as version
    from ${rowsOf('sessions s', ids, { userId: 'uuid', id: 'uuid' })}
    join users u on u.id = s.user_id`);
}

/** The changed records of sessions, for the change log. A change of the person's role raises their versions too. */
export const changedSessions = (keys: string[]): ChangedRecords => {
  const ids = keys.map((key) => key.split(' '));
  return {
    kind: recordKinds.session,
    ids: keys,
    versions: sql`
      select s.user_id || ' ' || s.id as id, s.version, null::bigint as listing
      from sessions s
      where ${isOneOf(
        sql`s.user_id`,
        ids.map(([userId = '']) => userId),
      )}
        and ${isOneOf(
          sql`s.id`,
          ids.map(([, id = '']) => id),
        )}`,
  };
};

/**
 * Whether the token is the session's current access, browser or guest token. The ids in a token are not secret; its hash
 * decides.
 */
export const isLive = (session: LiveSession, token: Pick<Token, 'userId' | 'hash'>, now: Date): boolean =>
  session.userId === token.userId && session.accessHash.equals(token.hash) && session.accessExpiresAt > now;

/** Sessions in memory, validated against the change log on each request: a session that ended is refused at once. */
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
