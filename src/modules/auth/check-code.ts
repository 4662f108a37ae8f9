/**
 * Verifies one-time codes: each is valid once, for five minutes or, from the tenth text of a day on, until the day ends
 * (send-limits.ts). Wrong tries are limited for each requester and number (try-limits.ts).
 */
import { timingSafeEqual } from 'node:crypto';
import { type AuditContext, recordAudit } from '../../audit/audit.ts';
import type { Transaction } from '../../db/transaction.ts';
import { Problem } from '../../lib/errors.ts';
import { type CodePurpose, hashCode, hashPhone, strangersScope } from './code-hashes.ts';
import { insertTry, listCodes, listTries, lockNumber, subtractSend, useCode } from './codes-repo.ts';
import { findRequester, type Sender } from './requesters.ts';
import { allowTry } from './try-limits.ts';

type CodeProof = {
  /** E.164. */
  phone: string;
  purpose: CodePurpose;
  code: string;
  /** The field of the request that holds the code, for the error. */
  field: string;
  sender: Sender;
};

/**
 * Uses up a code if it is correct, and returns the refusal if it is not. The caller must let the transaction
 * commit before it throws the refusal, because the transaction counts the failed try. The number is locked
 * while the code is compared: of fifty concurrent guesses five are compared, and of fifty correct ones one succeeds.
 * @returns null, or a Problem `wrong_code` or `too_many_tries`
 */
export async function checkCode(
  tx: Transaction,
  context: AuditContext,
  { phone, purpose, code, field, sender }: CodeProof,
): Promise<Problem | null> {
  const { secretKey, now } = context;
  const phoneHash = hashPhone(secretKey, phone);
  const wrong = new Problem('wrong_code', { errors: [{ path: field, message: 'is wrong or has expired' }] });
  const [, codes, tries, requester] = await Promise.all([
    lockNumber(tx, phoneHash),
    listCodes(tx, phoneHash, purpose),
    listTries(tx, phoneHash, now),
    findRequester(tx, context, phoneHash, sender),
  ]);
  if (codes.length === 0) return wrong;
  const allowance = allowTry(tries, requester, purpose, now);
  if ('waitMs' in allowance)
    return new Problem('too_many_tries', { retryAfter: Math.ceil(allowance.waitMs / 1000) });
  const hash = hashCode(secretKey, phone, purpose, code);
  const valid = codes.filter(({ codeHash, expiresAt }) => codeHash && expiresAt > now);
  // A try is compared with two codes at most: the requester's own, which no request of others replaces, and the newest one,
  // for a person who requested it on another network, or whose phone received it because others requested it.
  const comparable = [valid.find((each) => each.requester.equals(requester.id)), valid[0]];
  const match = comparable.find((each) => each?.codeHash && timingSafeEqual(each.codeHash, hash));
  if (match) {
    await useCode(tx, phoneHash, purpose, match.requester);
    await subtractSend(tx, [strangersScope(phoneHash)], now);
    return null;
  }
  await insertTry(tx, phoneHash, { purpose, requester: requester.id, budget: allowance.budget, at: now });
  if (allowance.isLast) {
    const action = purpose === 'sign_in' ? 'sign_in_locked' : 'deletion_locked';
    await recordAudit(tx, context, { phone }, action);
  }
  return wrong;
}
