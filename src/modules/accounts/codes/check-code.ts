/**
 * Verifies one-time codes: each is valid once, for five minutes or, from the tenth text of a day on, until the day ends
 * (send-limits.ts). Wrong tries are limited for each requester and contact (try-limits.ts).
 */
import { timingSafeEqual } from 'node:crypto';
import type { Transaction } from '#pg';
import { type AuditAction, type AuditContext, recordAudit } from '../../../audit/audit.ts';
import type { CodePurpose, Contact } from '../../../lib/contact.ts';
import { toAsciiDigits } from '../../../lib/digits.ts';
import { Problem } from '../../../lib/errors.ts';
import { hashAddress } from '../../../lib/mail-address.ts';
import { releaseAddress } from '../../../mail/suppressions.ts';
import { lockContacts } from './contact-locks.ts';
import { countFailure } from './failure-limit.ts';
import { type CodeUse, hashCode, hashContact, strangersScope } from './hashes.ts';
import type { LinkProof } from './links.ts';
import { type CodeRow, insertTry, listCodes, listTries, subtractSend, useCode } from './repo.ts';
import { findRequester, type Requester, type Sender } from './requesters.ts';
import { allowTry } from './try-limits.ts';

type CodeProof = CodeUse & {
  contact: Contact;
  code: string;
  /** The field of the request that holds the code, for the error. */
  field: string;
  sender: Sender;
};

/** A code that is correct. `accept` uses it up. */
export type ComparedCode = { accept: () => Promise<void> };

const lockedActions: Record<CodePurpose, AuditAction> = {
  sign_in: 'sign_in_locked',
  delete_account: 'deletion_locked',
  confirm_contact: 'confirmation_locked',
  change_contact: 'confirmation_locked',
  guest: 'confirmation_locked',
};

/**
 * Uses up a code if it is correct, and returns the refusal if it is not. The caller must let the transaction
 * commit before it throws the refusal, because the transaction counts the failed try.
 * @returns null, or a Problem `wrong_code` or `too_many_tries`
 */
export async function checkCode(
  tx: Transaction,
  context: AuditContext,
  proof: CodeProof,
): Promise<Problem | null> {
  const compared = await compareCode(tx, context, proof);
  if (compared instanceof Problem) return compared;
  await compared.accept();
  return null;
}

/**
 * Compares a code, and counts a wrong one. The contact is locked while the code is compared: of fifty concurrent guesses five are
 * compared, and of fifty correct ones one succeeds. A try counts in the same way for every contact, whether or not it was ever sent
 * a code: otherwise its refusal would tell which contacts sign in.
 * @returns what uses the code up, or a Problem `wrong_code` or `too_many_tries`
 */
export async function compareCode(
  tx: Transaction,
  context: AuditContext,
  proof: CodeProof,
): Promise<Problem | ComparedCode> {
  const { contact, purpose, code, field, sender } = proof;
  const { secretKey, now } = context;
  const contactHash = hashContact(secretKey, contact);
  const [, codes, tries, requester] = await Promise.all([
    lockContacts(tx, [contactHash]),
    listCodes(tx, contactHash, proof),
    listTries(tx, contactHash, now),
    findRequester(tx, context, contactHash, sender, proof),
  ]);
  const allowance = allowTry(tries, requester, purpose, now);
  if ('waitMs' in allowance)
    return new Problem('too_many_tries', { retryAfter: Math.ceil(allowance.waitMs / 1000) });
  const failure = await countStranger(tx, context, requester, sender);
  if (failure instanceof Problem) return failure;
  const match = findMatch(codes, requester, hashCode(secretKey, contact, proof, readCode(code)), now);
  if (match)
    return {
      async accept() {
        await subtractSend(tx, failure.scopes, now);
        await accept(tx, context, proof, match.requester);
      },
    };
  const { triesId } = requester;
  await insertTry(tx, contactHash, { purpose, requester: triesId, budget: allowance.budget, at: now });
  if (allowance.isLast) await recordAudit(tx, context, contact, lockedActions[purpose]);
  return new Problem('wrong_code', { errors: [{ path: field, message: 'is wrong or has expired' }] });
}

/** Counts a try of an unknown network for all contacts together. @returns as `countFailure` */
const countStranger = async (
  tx: Transaction,
  { secretKey, now }: AuditContext,
  { trust }: Requester,
  { address }: Sender,
): Promise<Problem | { scopes: string[] }> =>
  trust === 'unknown' ? countFailure(tx, { secretKey }, { use: 'code', address, now }) : { scopes: [] };

/**
 * A try is compared with two codes at most: the requester's own, which no request of others replaces, and the newest one, for a
 * person who requested it on another network, or who received it because others requested it.
 */
function findMatch(codes: CodeRow[], { id }: Requester, hash: Buffer, now: Date): CodeRow | undefined {
  const valid = codes.filter(({ codeHash, expiresAt }) => codeHash && expiresAt > now);
  const comparable = [valid.find(({ requester }) => requester.equals(id)), valid[0]];
  return comparable.find((each) => each?.codeHash && timingSafeEqual(each.codeHash, hash));
}

/** A code as people enter it: with the digits of any script, and spaces and direction marks between them. */
const readCode = (text: string): string => toAsciiDigits(text).replace(/[\s\p{Cf}]/gu, '');

/**
 * Uses up the code of a link, of which the mail was sent to the address of the link, or which a command printed. No try is
 * counted: a token of a link cannot be guessed.
 * @returns null, or a Problem `wrong_code`
 */
export async function checkLink(
  tx: Transaction,
  context: AuditContext,
  { contact, code, requester, isOfOperator, eventId }: LinkProof,
): Promise<Problem | null> {
  const { secretKey, now } = context;
  const use: CodeUse = eventId === undefined ? { purpose: 'sign_in' } : { purpose: 'guest', eventId };
  const contactHash = hashContact(secretKey, contact);
  await lockContacts(tx, [contactHash]);
  const codes = await listCodes(tx, contactHash, use);
  const hash = hashCode(secretKey, contact, use, code);
  const match = codes.find((each) => each.requester.toString('base64url') === requester);
  if (!match?.codeHash?.equals(hash) || match.expiresAt <= now) return new Problem('wrong_code');
  // A link of the operator says nothing about whether messages arrive.
  if (isOfOperator) await useCode(tx, contactHash, use.purpose, match.requester);
  else await accept(tx, context, { contact, purpose: use.purpose }, match.requester);
  return null;
}

/** Uses up the code of a requester: the message has reached the owner of the contact. */
async function accept(
  tx: Transaction,
  { secretKey, now }: AuditContext,
  { contact, purpose }: Pick<CodeProof, 'contact' | 'purpose'>,
  requester: Buffer,
): Promise<void> {
  const contactHash = hashContact(secretKey, contact);
  await useCode(tx, contactHash, purpose, requester);
  await subtractSend(tx, [strangersScope(contactHash)], now);
  if (contact.kind === 'email') await releaseAddress(tx, hashAddress(secretKey, contact.value));
}
