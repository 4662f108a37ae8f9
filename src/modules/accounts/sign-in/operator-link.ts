/** Links with which the operator of the server lets an admin in, when no other way works. */
import { randomBytes } from 'node:crypto';
import type { Transaction } from '#pg';
import type { ReadyConfig } from '../../../config/config.ts';
import type { MessageContact } from '../../../lib/contact.ts';
import { lockContacts } from '../codes/contact-locks.ts';
import { hashCode, hashContact } from '../codes/hashes.ts';
import { linkOf } from '../codes/links.ts';
import { insertCode } from '../codes/repo.ts';
import { operatorOf } from '../codes/requesters.ts';

const lifetimeMs = 15 * 60_000;

/** Creates a link, in place of the one before, that signs in once to the account of the contact, for 15 minutes. */
export async function createOperatorLink(
  tx: Transaction,
  config: Pick<ReadyConfig, 'publicUrl' | 'secretKey'>,
  contact: MessageContact,
  now: Date,
): Promise<string> {
  const { secretKey } = config;
  const contactHash = hashContact(secretKey, contact);
  await lockContacts(tx, [contactHash]);
  const requester = operatorOf(secretKey, contactHash);
  // Unlike the six digits of a message, it can be neither entered nor guessed.
  const code = randomBytes(32).toString('base64url');
  const codeHash = hashCode(secretKey, contact, { purpose: 'sign_in' }, code);
  const expiresAt = new Date(now.getTime() + lifetimeMs);
  await insertCode(tx, { contactHash, purpose: 'sign_in', requester, codeHash, sentAt: now, expiresAt });
  const id = requester.id.toString('base64url');
  return linkOf(config, { contact, code, requester: id, isOfOperator: true });
}
