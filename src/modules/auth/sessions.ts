/** Sessions: an access token for 30 minutes, a refresh token for 30 days, and an end after 180 days at the latest. */
import { type AuditContext, recordAudit } from '../../audit/audit.ts';
import type { Database } from '../../db/client.ts';
import type { Transaction } from '../../db/transaction.ts';
import { transaction } from '../../db/transaction.ts';
import { newPair, parseToken, successorPair } from '../../identity/tokens.ts';
import { Problem } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { dayMs } from '../../lib/time.ts';
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
/** A refresh whose answer was lost may be asked for again this long. */
const graceMs = 10_000;

export type Tokens = { accessToken: string; refreshToken: string; tokenType: 'Bearer'; expiresIn: number };

export async function openSession(
  tx: Transaction,
  key: string,
  userId: string,
  userAgent: string,
  now: Date,
): Promise<Tokens> {
  const ids = { userId, sessionId: newId() };
  const pair = newPair(key, ids);
  const endsAt = new Date(now.getTime() + sessionMs);
  await insertSession(tx, ids, pair, {
    ...timesFrom(now, endsAt),
    endsAt,
    userAgent: userAgent.slice(0, 300),
  });
  return toTokens(pair, accessMs);
}

/**
 * Trades a refresh token for the next pair. Each is good once: the same successor comes again within ten seconds,
 * as long as that one is unused; any other token that this server once gave out, when it comes again, ends the session.
 * @throws Problem `refresh_token_invalid`
 */
export async function refreshSession(
  db: Database,
  refreshToken: string,
  trace: AuditContext,
): Promise<Tokens> {
  const { secretKey: key, now } = trace;
  const token = parseToken('refresh', refreshToken, key);
  if (!token) throw new Problem('refresh_token_invalid');
  const tokens = await transaction(db, async (tx): Promise<Tokens | null> => {
    const session = await findSessionForUpdate(tx, token);
    if (!session || session.refreshExpiresAt <= now) return null;
    const next = successorPair(key, token, refreshToken);
    if (session.refreshHash.equals(token.hash)) {
      const times = timesFrom(now, session.endsAt);
      await rotateSession(tx, token, next, times);
      return toTokens(next, times.accessExpiresAt.getTime() - now.getTime());
    }
    const inGrace = now.getTime() - session.refreshedAt.getTime() <= graceMs;
    if (inGrace && session.spentHash?.equals(token.hash)) {
      return toTokens(next, session.accessExpiresAt.getTime() - now.getTime());
    }
    // Somebody holds a copy of this token. Which of the two is the thief cannot be told: both are out.
    await deleteSession(tx, token);
    await recordAudit(tx, trace, { userId: token.userId }, 'refresh_token_reused');
    return null;
  });
  if (!tokens) throw new Problem('refresh_token_invalid');
  return tokens;
}

function timesFrom(now: Date, endsAt: Date): SessionTimes {
  const within = (ms: number) => new Date(Math.min(now.getTime() + ms, endsAt.getTime()));
  return { now, accessExpiresAt: within(accessMs), refreshExpiresAt: within(refreshMs) };
}

const toTokens = (
  { accessToken, refreshToken }: { accessToken: string; refreshToken: string },
  ms: number,
): Tokens => ({
  accessToken,
  refreshToken,
  tokenType: 'Bearer',
  expiresIn: Math.floor(ms / 1000),
});
