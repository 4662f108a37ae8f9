/**
 * Verifies one-time codes: each is valid once, for five minutes, and a number has five tries in 15 minutes.
 */
import { timingSafeEqual } from 'node:crypto';
import { type AuditContext, recordAudit } from '../../audit/audit.ts';
import type { Transaction } from '../../db/transaction.ts';
import { Problem } from '../../lib/errors.ts';
import { type CodePurpose, hashCode, hashPhone } from './code-hashes.ts';
import { findCodeForUpdate, updateTries, useCode } from './codes-repo.ts';

const triesWindowMs = 15 * 60_000;
const maxTries = 5;

type CodeProof = {
  /** E.164. */
  phone: string;
  purpose: CodePurpose;
  code: string;
  /** The field of the request that holds the code, for the error. */
  field: string;
};

/**
 * Uses up a code if it is correct, and returns the refusal if it is not. The caller must let the transaction
 * commit before it throws the refusal, because the transaction counts the failed try. The number's row is
 * locked while the code is compared: of fifty concurrent guesses five are compared, and of fifty correct ones
 * one succeeds.
 * @returns null, or a Problem `wrong_code` or `too_many_tries`
 */
export async function checkCode(
  tx: Transaction,
  context: AuditContext,
  { phone, purpose, code, field }: CodeProof,
): Promise<Problem | null> {
  const { secretKey, now } = context;
  const phoneHash = hashPhone(secretKey, phone);
  const wrong = new Problem('wrong_code', { errors: [{ path: field, message: 'is wrong or has expired' }] });
  const row = await findCodeForUpdate(tx, phoneHash, purpose);
  if (!row) return wrong;
  const tries = row.tries.filter((at) => at.getTime() > now.getTime() - triesWindowMs);
  const [oldest] = tries;
  if (oldest && tries.length >= maxTries) {
    const waitMs = oldest.getTime() + triesWindowMs - now.getTime();
    return new Problem('too_many_tries', { retryAfter: Math.ceil(waitMs / 1000) });
  }
  const expected = row.expiresAt > now ? row.codeHash : null;
  if (expected && timingSafeEqual(expected, hashCode(secretKey, phone, purpose, code))) {
    await useCode(tx, phoneHash, purpose);
    return null;
  }
  await updateTries(tx, phoneHash, purpose, [...tries, now]);
  if (tries.length + 1 === maxTries) {
    const action = purpose === 'sign_in' ? 'sign_in_locked' : 'deletion_locked';
    await recordAudit(tx, context, { phone }, action);
  }
  return wrong;
}
