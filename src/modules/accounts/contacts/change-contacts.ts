/** Changes of the contacts of an account, each in one transaction. */
import type { FastifyRequest } from 'fastify';
import { type Transaction, transaction } from '#pg';
import { type AuditContext, auditContextOf, keepAuditOf, recordAudit } from '../../../audit/audit.ts';
import { lockOwnAccount } from '../../../identity/act-as.ts';
import type { Caller } from '../../../identity/caller.ts';
import { type Contact, type ContactKind, canReceive, type MessageKind } from '../../../lib/contact.ts';
import { Problem } from '../../../lib/errors.ts';
import { releaseContact, reserveContact, setContact } from '../accounts.ts';
import { compareCode } from '../codes/check-code.ts';
import { lockContactsOf } from '../codes/contact-locks.ts';
import { hashContact } from '../codes/hashes.ts';
import { deleteCodesOf } from '../codes/repo.ts';
import { senderOf } from '../codes/requesters.ts';
import type { MeRow } from '../profile/present.ts';
import { requireMe } from '../profile/repo.ts';
import type { AccountServices } from '../services.ts';
import { deleteOtherSessions } from '../sessions/repo.ts';
import { canSignInWith } from '../sign-in/ways.ts';
import { deleteContactChange, findContactChange } from './contact-changes.ts';
import { lockCurrentContacts } from './lock-current-contacts.ts';
import { permitChange } from './permit-change.ts';
import { storeMailOfChange, textOfChange } from './tell-of-change.ts';

type Change = {
  caller: Caller;
  kind: ContactKind;
  /** Signs the account's other devices out. */
  endOtherSessions: boolean;
};
/** `confirmCode`: that of a contact that the account has (permit-change.ts). */
type ConfirmedChange = Change & { confirmCode: string | undefined };

/**
 * `told`: the contact that gets a notice: the one that was replaced or removed, otherwise one that the account had; undefined if
 * messages can be sent to none.
 */
type Changed = { me: MeRow; told: Contact | undefined };

/**
 * Gives the account the contact that a code confirms, in place of the one of this kind.
 * @throws Problem `confirmation_required`, `wrong_code`, `too_many_tries`, `contact_taken`, `token_invalid`
 */
export async function confirmContact(
  services: AccountServices,
  request: FastifyRequest,
  { code, confirmCode, ...change }: ConfirmedChange & { kind: MessageKind; code: string },
): Promise<MeRow> {
  const context = auditContextOf(services, request);
  const { caller, kind } = change;
  const outcome = await transaction(services.db, async (tx) => {
    await lockContactsOf(tx, context.secretKey, caller.id);
    const contact = await findContactChange(tx, caller.id, kind);
    if (!contact) return new Problem('wrong_code');
    const before = await lockCurrentContacts(tx, context, caller.id, [contact]);
    const permission = await permitChange(tx, context, caller, before, { confirmCode, address: request.ip });
    if (permission instanceof Problem) return permission;
    const sender = senderOf(services, request);
    const proof = { contact, purpose: 'confirm_contact', code, field: 'code', sender } as const;
    const compared = await compareCode(tx, context, proof);
    if (compared instanceof Problem) return compared;
    // Only now: a person who mistypes one of the two codes need not request the other one again.
    await permission.accept();
    await compared.accept();
    return replaceContact(tx, { services, request, context }, change, before, contact);
  });
  return finish(services, request, outcome);
}

/**
 * Gives the account an identity, which its provider has confirmed after `permitIdentity`, in place of the one that it has. A
 * removal and a deletion at the same time wait for the lock of the account, or are waited for, and then the caller's session has
 * ended.
 * @throws Problem `contact_taken`, `token_invalid`
 */
export async function linkIdentity(
  services: AccountServices,
  request: FastifyRequest,
  caller: Caller,
  identity: Contact,
): Promise<MeRow> {
  const context = auditContextOf(services, request);
  const change = { caller, kind: identity.kind, endOtherSessions: false };
  const changed = await transaction(services.db, async (tx) => {
    await lockContactsOf(tx, context.secretKey, caller.id);
    const before = await lockCurrentContacts(tx, context, caller.id, [identity]);
    return replaceContact(tx, { services, request, context }, change, before, identity);
  });
  return finish(services, request, changed);
}

/**
 * Removes the contact of this kind, if the account has one.
 * @throws Problem `last_sign_in` if the account would have no way to sign in, `confirmation_required`, `wrong_code`,
 *   `too_many_tries`, `token_invalid`
 */
export async function removeContact(
  services: AccountServices,
  request: FastifyRequest,
  { confirmCode, ...change }: ConfirmedChange,
): Promise<MeRow> {
  const context = auditContextOf(services, request);
  const { caller, kind } = change;
  const { signIn } = await services.instance.settings();
  const usable = { signIn, oidc: services.config.oidc };
  const outcome = await transaction(services.db, async (tx) => {
    await lockContactsOf(tx, context.secretKey, caller.id);
    const before = await lockCurrentContacts(tx, context, caller.id, []);
    const permission = await permitChange(tx, context, caller, before, { confirmCode, address: request.ip });
    if (permission instanceof Problem) return permission;
    const others = before.filter((contact) => contact.kind !== kind);
    if (!others.some((contact) => canSignInWith(usable, contact))) throw new Problem('last_sign_in');
    await permission.accept();
    return replaceContact(tx, { services, request, context }, change, before, null);
  });
  return finish(services, request, outcome);
}

type Cause = { services: AccountServices; request: FastifyRequest; context: AuditContext };

/** @param next null removes the contact. @returns Problem `contact_taken` @throws Problem `token_invalid` */
async function replaceContact(
  tx: Transaction,
  { services, request, context }: Cause,
  { caller, kind, endOtherSessions }: Change,
  before: Contact[],
  next: Contact | null,
): Promise<Changed | Problem> {
  const userId = caller.id;
  const previous = before.find((contact) => contact.kind === kind);
  // Another spelling of the same contact changes nothing.
  const isSame = previous !== undefined && next !== null && previous.value === next.value;
  const [lost, gained] = isSame ? [undefined, null] : [previous, next];
  // Returned, so that the code is used up.
  if (gained && !(await reserveContact(tx, userId, gained, context.now))) return new Problem('contact_taken');
  if (lost) await deleteCodesOf(tx, hashContact(context.secretKey, lost));
  await lockOwnAccount(tx, caller);
  if (next && canReceive(next)) await deleteContactChange(tx, userId, next);
  await setContact(tx, userId, kind, next?.value ?? null);
  if (lost) await releaseContact(tx, userId, lost);
  const changed = [lost, gained].filter((contact) => contact !== undefined && contact !== null);
  for (const hook of services.contactHooks) await hook(tx, userId, changed);
  // It writes to the change log, so the hooks lock their rows before.
  if (endOtherSessions) await endOthers(tx, context, caller);
  if (lost) await keepAuditOf(tx, context.secretKey, { userId, contact: lost });
  if (lost || gained)
    await recordAudit(tx, context, { userId }, next ? 'contact_changed' : 'contact_removed', kind);
  const told =
    lost || gained ? [lost, ...before].find((contact) => contact && canReceive(contact)) : undefined;
  if (told) await storeMailOfChange(tx, services, request, { userId, told, now: context.now });
  return { me: await requireMe(tx, userId), told };
}

async function endOthers(tx: Transaction, context: AuditContext, { id: userId, sessionId }: Caller) {
  const ended = await deleteOtherSessions(tx, { userId, sessionId });
  for (let n = 0; n < ended; n++) await recordAudit(tx, context, { userId }, 'device_signed_out');
}

/**
 * Sends the notice of a change after its transaction. The transaction returns a refusal and does not throw it: its commit counts
 * the failed try.
 */
async function finish(
  services: AccountServices,
  request: FastifyRequest,
  outcome: Changed | Problem,
): Promise<MeRow> {
  if (outcome instanceof Problem) throw outcome;
  const { me, told } = outcome;
  if (told) await textOfChange(services, request, told);
  return me;
}
