/**
 * What shows that the owner of an account, and not only somebody with a token of its session, changes how the account signs in: a code
 * that was sent to a contact of the account, or a session that began in the last ten minutes.
 */
import type { FastifyRequest } from 'fastify';
import { type Transaction, transaction } from '#pg';
import { type AuditContext, auditContextOf } from '../../../audit/audit.ts';
import type { Caller } from '../../../identity/caller.ts';
import { type Contact, canReceive } from '../../../lib/contact.ts';
import { Problem } from '../../../lib/errors.ts';
import { type ComparedCode, compareCode } from '../codes/check-code.ts';
import { lockContactsOf } from '../codes/contact-locks.ts';
import { hashContact, hashContacts } from '../codes/hashes.ts';
import { findLastAsked } from '../codes/repo.ts';
import { ownerAt } from '../codes/requesters.ts';
import type { AccountServices } from '../services.ts';
import { isFreshSession } from '../sessions/repo.ts';
import { lockCurrentContacts } from './lock-current-contacts.ts';

/** `address`: the client's IP address. */
export type Confirmation = { confirmCode: string | undefined; address: string };

const fresh: ComparedCode = { accept: async () => {} };

/**
 * @param contacts those of the account, which the transaction has locked. The code is that of the contact that was asked last
 * @returns what uses the code up; or a Problem `confirmation_required`, `wrong_code` or `too_many_tries`, with which the transaction
 *   must commit, because it counts the wrong code
 */
export async function permitChange(
  tx: Transaction,
  context: AuditContext,
  caller: Caller,
  contacts: Contact[],
  { confirmCode: code, address }: Confirmation,
): Promise<Problem | ComparedCode> {
  if (await isFreshSession(tx, caller, context.now)) return fresh;
  const reachable = contacts.filter(canReceive);
  const [first] = reachable;
  if (code === undefined || !first) return new Problem('confirmation_required');
  const { secretKey } = context;
  const asked = await findLastAsked(tx, hashContacts(secretKey, reachable), 'change_contact');
  const contact = reachable.find((each) => asked?.equals(hashContact(secretKey, each))) ?? first;
  const sender = ownerAt(address);
  return compareCode(tx, context, { contact, purpose: 'change_contact', code, field: 'confirmCode', sender });
}

/**
 * Confirms that the owner of the account is about to give it an identity.
 * @throws Problem `confirmation_required`, `wrong_code`, `too_many_tries`
 */
export async function permitIdentity(
  services: AccountServices,
  request: FastifyRequest,
  caller: Caller,
  confirmCode: string | undefined,
): Promise<void> {
  const context = auditContextOf(services, request);
  const refusal = await transaction(services.db, async (tx) => {
    await lockContactsOf(tx, context.secretKey, caller.id);
    const contacts = await lockCurrentContacts(tx, context, caller.id, []);
    const permission = await permitChange(tx, context, caller, contacts, {
      confirmCode,
      address: request.ip,
    });
    if (permission instanceof Problem) return permission;
    await permission.accept();
    return null;
  });
  if (refusal) throw refusal;
}
