/**
 * Sessions, which end after at most 180 days: an access token for 30 minutes and a refresh token for 30 days, or
 * the token of a browser session (identity/browser-sessions.ts).
 */
import type { FastifyRequest } from 'fastify';
import { dayMs, newId } from '#base';
import { type Database, type Transaction, transaction } from '#pg';
import { type AuditContext, recordAudit } from '../../../audit/audit.ts';
import { browserIdleMs } from '../../../identity/browser-sessions.ts';
import type { UnlockedCaller } from '../../../identity/caller.ts';
import { findSuspension, findSuspensionByToken } from '../../../identity/suspensions.ts';
import {
  newLastingToken,
  newPair,
  parseToken,
  successorPair,
  type Token,
  type TokenPair,
} from '../../../identity/tokens.ts';
import { Problem } from '../../../lib/errors.ts';
import {
  deleteSession,
  findSessionForUpdate,
  insertSession,
  rotateSession,
  type SessionTimes,
} from './repo.ts';

const accessMs = 30 * 60_000;
const refreshMs = 30 * dayMs;
const sessionMs = 180 * dayMs;
/** A client that lost the response of a refresh may repeat the refresh for this long. */
const graceMs = 10_000;

/** `expiresIn`: the lifetime of the access token, in seconds. */
type Tokens = { accessToken: string; refreshToken: string; tokenType: 'Bearer'; expiresIn: number };

const maxUserAgentLength = 300;

/** The `User-Agent` of a request, as sessions name it. */
export const userAgentOf = ({ headers }: Pick<FastifyRequest, 'headers'>): string =>
  headers['user-agent']?.slice(0, maxUserAgentLength) ?? '';

export type NewSession = { userId: string; userAgent: string; isSuspended: boolean };

/**
 * Opens a session and returns its first pair of tokens. The session of a suspended account lasts as long as
 * its access token.
 */
export async function openSession(
  tx: Transaction,
  key: string,
  session: NewSession,
  now: Date,
): Promise<Tokens> {
  const ids = { userId: session.userId, sessionId: newId() };
  const pair = newPair(key, ids);
  const endsAt = endOf(session, now);
  await insertSession(tx, ids, pair, { ...timesFrom(now, endsAt), endsAt, userAgent: session.userAgent });
  return toTokens(pair, accessMs);
}

/** Opens a browser session. `maxAgeMs`: how long it can last at most. */
export async function openBrowserSession(
  tx: Transaction,
  session: NewSession,
  now: Date,
): Promise<{ token: string; maxAgeMs: number }> {
  const ids = { userId: session.userId, sessionId: newId() };
  const { token, hash } = newLastingToken('browser', ids);
  const endsAt = endOf(session, now);
  const expiresAt = new Date(Math.min(now.getTime() + browserIdleMs, endsAt.getTime()));
  const times = { now, accessExpiresAt: expiresAt, refreshExpiresAt: expiresAt, endsAt };
  const hashes = { accessHash: hash, refreshHash: null };
  await insertSession(tx, ids, hashes, { ...times, userAgent: session.userAgent });
  return { token, maxAgeMs: endsAt.getTime() - now.getTime() };
}

/**
 * Opens a session of a person for one event, which is not refreshed.
 * @param endsAt when the token expires
 * @returns the token, and the caller that requests with it have
 */
export async function openGuestSession(
  tx: Transaction,
  { eventId, userAgent, ...person }: { id: string; hasAccount: boolean; eventId: string; userAgent: string },
  { now, endsAt }: { now: Date; endsAt: Date },
): Promise<{ token: string; caller: UnlockedCaller }> {
  const ids = { userId: person.id, sessionId: newId() };
  const { token, hash } = newLastingToken('guest', ids);
  const times = { now, accessExpiresAt: endsAt, refreshExpiresAt: endsAt, endsAt };
  await insertSession(tx, ids, { accessHash: hash, refreshHash: null }, { ...times, userAgent, eventId });
  return { token, caller: { ...person, sessionId: ids.sessionId, accessHash: hash, eventId } };
}

const endOf = ({ isSuspended }: NewSession, now: Date) =>
  new Date(now.getTime() + (isSuspended ? accessMs : sessionMs));

/**
 * Exchanges a refresh token for the next pair. Each token is valid once. A repeated refresh within ten
 * seconds returns the same pair, as long as the new refresh token is unused; any other reuse of an issued
 * token ends the session.
 * @throws Problem `refresh_token_invalid`, `account_suspended`
 */
export async function refreshSession(
  db: Database,
  refreshToken: string,
  context: AuditContext,
): Promise<Tokens> {
  const token = parseToken('refresh', refreshToken, context.secretKey);
  if (!token) throw new Problem('refresh_token_invalid');
  const next = successorPair(context.secretKey, token, refreshToken);
  // A refusal is returned and not thrown inside the transaction: the commit ends the session.
  const outcome = await transaction(db, (tx) => rotate(tx, token, next, context));
  if (outcome instanceof Problem) throw outcome;
  return outcome;
}

async function rotate(
  tx: Transaction,
  token: Token,
  next: TokenPair,
  context: AuditContext,
): Promise<Tokens | Problem> {
  const { now } = context;
  const session = await findSessionForUpdate(tx, token);
  if (!session?.refreshHash || session.refreshExpiresAt <= now) {
    const suspension = await findSuspensionByToken(tx, token);
    return new Problem('refresh_token_invalid', { suspension });
  }
  if (session.isSuspended)
    return new Problem('account_suspended', { suspension: await findSuspension(tx, token.userId) });
  if (session.refreshHash.equals(token.hash)) {
    const times = timesFrom(now, session.endsAt);
    await rotateSession(tx, token, next, times);
    return toTokens(next, times.accessExpiresAt.getTime() - now.getTime());
  }
  const inGrace = now.getTime() - session.refreshedAt.getTime() <= graceMs;
  if (inGrace && session.spentHash?.equals(token.hash)) {
    return toTokens(next, session.accessExpiresAt.getTime() - now.getTime());
  }
  // Two clients hold this token, and the server cannot tell which one stole it: the session ends for both.
  await deleteSession(tx, token);
  await recordAudit(tx, context, { userId: token.userId }, 'refresh_token_reused');
  return new Problem('refresh_token_invalid');
}

/** The expiry times of a new pair, limited by the end of the session. */
function timesFrom(now: Date, endsAt: Date): SessionTimes {
  const within = (ms: number) => new Date(Math.min(now.getTime() + ms, endsAt.getTime()));
  return { now, accessExpiresAt: within(accessMs), refreshExpiresAt: within(refreshMs) };
}

const toTokens = ({ accessToken, refreshToken }: TokenPair, accessLifetimeMs: number): Tokens => ({
  accessToken,
  refreshToken,
  tokenType: 'Bearer',
  expiresIn: Math.floor(accessLifetimeMs / 1000),
});
