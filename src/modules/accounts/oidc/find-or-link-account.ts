/** The account of an identity that the provider has confirmed. */
import type { FastifyRequest } from 'fastify';
import type { Transaction } from '#pg';
import { auditContextOf, recordAudit } from '../../../audit/audit.ts';
import { type Contact, canReceive, contactsOf, isIdentityAt } from '../../../lib/contact.ts';
import { Problem } from '../../../lib/errors.ts';
import {
  type FoundAccount,
  findAccount,
  findOrCreateAccount,
  findOwner,
  releaseContact,
  reserveContact,
  setContact,
} from '../accounts.ts';
import { lockContacts, lockContactsOf } from '../codes/contact-locks.ts';
import { hashContacts } from '../codes/hashes.ts';
import { storeMailOfChange } from '../contacts/tell-of-change.ts';
import { requireMe } from '../profile/repo.ts';
import type { ProvenIdentity } from './provider.ts';
import type { OidcServices } from './services.ts';

/** `told`: a contact of the account that was linked; undefined if none was. */
type Found = FoundAccount & { told?: Contact | undefined };

/**
 * Finds the account of the identity; or links the identity to the account that has its address; or creates an account.
 *
 * Right on several servers: two first sign-ins of an identity wait for its lock, so the second finds the account of the first. A
 * link changes the contacts of an account, so it takes the locks of such a change (contact-locks.ts): that of the account, whose
 * owner is therefore read before, and those of the contacts, under which the owner is read again. A removal or a deletion of the
 * account at the same time is then complete, or begins later.
 * @throws Problem `unavailable` if the address has just changed hands
 */
export async function findOrLinkAccount(
  tx: Transaction,
  services: OidcServices,
  request: FastifyRequest,
  { identity, address }: ProvenIdentity,
): Promise<Found> {
  const { secretKey } = services.config;
  const { now } = auditContextOf(services, request);
  const owner = address ? await findOwner(tx, address) : null;
  if (owner) await lockContactsOf(tx, secretKey, owner);
  await lockContacts(tx, hashContacts(secretKey, address ? [identity, address] : [identity]));
  const known = await findAccount(tx, identity);
  if (known) return { ...known, isNew: false };
  const found = address ? await findAccount(tx, address) : null;
  if (found && found.id !== owner) throw new Problem('unavailable');
  const linked = found && (await link(tx, services, request, found, identity));
  if (linked) return linked;
  const account = await findOrCreateAccount(tx, identity, now);
  if (account.isNew && address && (await reserveContact(tx, account.id, address, null)))
    await setContact(tx, account.id, 'email', address.value);
  return account;
}

/**
 * Links the identity to the account that has its address. An account with another identity at the provider keeps it: the address
 * may have been given to another person there, which is why subjects and not addresses identify people.
 * @returns null if the account keeps its identity
 */
async function link(
  tx: Transaction,
  services: OidcServices,
  request: FastifyRequest,
  { id: userId, isSuspended }: { id: string; isSuspended: boolean },
  identity: Contact,
): Promise<Found | null> {
  const context = auditContextOf(services, request);
  const me = await requireMe(tx, userId);
  if (me.oidc !== null && isIdentityAt(me.oidc, services.config.oidc?.issuer)) return null;
  if (!(await reserveContact(tx, userId, identity, context.now))) throw new Problem('unavailable');
  await setContact(tx, userId, 'oidc', identity.value);
  if (me.oidc !== null) await releaseContact(tx, userId, { kind: 'oidc', value: me.oidc });
  await recordAudit(tx, context, { userId }, 'contact_changed', 'oidc');
  const told = contactsOf(me).find(canReceive);
  if (told) await storeMailOfChange(tx, services, request, { userId, told, now: context.now });
  return { id: userId, isSuspended, isNew: false, told };
}
