/** Signing in, for every kind of proof and of session: verifies the proof, and finds or creates the account. */
import type { FastifyRequest } from 'fastify';
import { type Transaction, transaction } from '#pg';
import { type AuditContext, auditContextOf, recordAudit } from '../../../audit/audit.ts';
import { deviceCookie, sessionCookie, wayCookie } from '../../../http/browser-cookie.ts';
import { languageOf } from '../../../http/request-language.ts';
import { type Contact, contactsOf } from '../../../lib/contact.ts';
import { Problem } from '../../../lib/errors.ts';
import { type FoundAccount, findOrCreateAccount } from '../accounts.ts';
import { checkProof, type Proof } from '../codes/check-proof.ts';
import { deviceTokenMs, newDeviceToken } from '../codes/device-tokens.ts';
import { hashContact } from '../codes/hashes.ts';
import { rememberNetwork } from '../codes/requesters.ts';
import { toMe } from '../profile/present.ts';
import { requireMe, storeFirstLanguage } from '../profile/repo.ts';
import type { AccountServices } from '../services.ts';
import { type NewSession, openBrowserSession, openSession, userAgentOf } from '../sessions/sessions.ts';

/**
 * Opens a session with tokens in the account of the contact.
 * @returns the response
 * @throws Problem `wrong_code`, `too_many_tries`; `feature_disabled` if sign-ups are switched off
 */
export async function signInWithTokens(services: AccountServices, request: FastifyRequest, proof: Proof) {
  const { session, account, deviceToken } = await openAccount(
    services,
    request,
    proof,
    (tx, opened, { secretKey, now }) => openSession(tx, secretKey, opened, now),
  );
  return { status: 200 as const, body: { ...session, ...account, deviceToken } };
}

/** As `signInWithTokens`, with a browser session: cookies have its token and the device token. */
export async function signInWithCookies(services: AccountServices, request: FastifyRequest, proof: Proof) {
  const { session, account, deviceToken } = await openAccount(
    services,
    request,
    proof,
    (tx, opened, { now }) => openBrowserSession(tx, opened, now),
  );
  const cookies = [
    sessionCookie(services.config, session.token, session.maxAgeMs),
    deviceCookie(services.config, deviceToken, deviceTokenMs),
    wayCookie(services.config, proof.contact.kind, deviceTokenMs),
  ];
  return { status: 200 as const, body: account, headers: { 'set-cookie': cookies } };
}

/** Inserts the session, and returns its tokens. */
type OpenSession<T> = (tx: Transaction, session: NewSession, context: AuditContext) => Promise<T>;

/** @returns the session, a token by which the device is known later, and the account */
async function openAccount<T>(
  services: AccountServices,
  request: FastifyRequest,
  proof: Proof,
  open: OpenSession<T>,
) {
  const context = auditContextOf(services, request);
  const outcome = await transaction(services.db, async (tx) => {
    const problem = await checkProof(tx, services, context, { request, proof, use: { purpose: 'sign_in' } });
    return problem ?? signInTo(tx, services, context, proof.contact, request, open);
  });
  // A refusal is returned and not thrown inside the transaction: the commit counts the failed try.
  if (outcome instanceof Problem) throw outcome;
  return outcome;
}

async function signInTo<T>(
  tx: Transaction,
  services: AccountServices,
  context: AuditContext,
  contact: Contact,
  request: FastifyRequest,
  open: OpenSession<T>,
) {
  const { config } = services;
  const contactHash = hashContact(config.secretKey, contact);
  await rememberNetwork(tx, context, contactHash, request.ip);
  const found = await findOrCreateAccount(tx, contact, context.now);
  const entered = await enterAccount(tx, services, context, request, found, open);
  return { ...entered, deviceToken: newDeviceToken(config.secretKey, contactHash, context.now) };
}

/**
 * Opens a session in an account whose owner has proved to be the caller.
 * @throws Problem `feature_disabled` if the account is new and sign-ups are switched off
 */
export async function enterAccount<T>(
  tx: Transaction,
  { config, flags, instance, contactHooks }: AccountServices,
  context: AuditContext,
  request: FastifyRequest,
  { id, isNew, isSuspended }: FoundAccount,
  open: OpenSession<T>,
) {
  if (isNew) {
    await flags.require('signUps');
    const confirmed = contactsOf(await requireMe(tx, id));
    for (const hook of contactHooks) await hook(tx, id, confirmed);
  }
  const session = await open(tx, { userId: id, userAgent: userAgentOf(request), isSuspended }, context);
  await recordAudit(tx, context, { userId: id }, isNew ? 'account_created' : 'signed_in');
  const me = await requireMe(tx, id);
  if (me.language === null) {
    me.language = await languageOf({ instance }, request);
    await storeFirstLanguage(tx, id, me.language);
  }
  // Only a client that proved to be the owner learns of the suspension.
  return { session, account: { isNewUser: isNew, isSuspended, user: toMe(me, config.publicUrl) } };
}
