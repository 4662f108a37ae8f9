/** Signing in, for every kind of session: verifies the code, and finds or creates the account. */
import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { type AuditContext, auditContextOf, recordAudit } from '../../audit/audit.ts';
import { type Transaction, transaction } from '../../db/transaction.ts';
import { Problem } from '../../lib/errors.ts';
import { readCountry, readPhone } from '../../lib/phone.ts';
import { findOrCreateAccount } from '../users/accounts.ts';
import { requireMe } from '../users/own-profile.ts';
import { toMe } from '../users/present-own-profile.ts';
import { checkCode } from './check-code.ts';
import { hashPhone } from './code-hashes.ts';
import { newDeviceToken } from './device-tokens.ts';
import { rememberNetwork, senderOf } from './requesters.ts';
import type { CodeProof } from './schemas.ts';
import type { AuthServices } from './services.ts';
import type { NewSession } from './sessions.ts';

const maxUserAgentLength = 300;

/** Inserts the session, and returns its tokens. */
type OpenSession<T> = (tx: Transaction, session: NewSession, context: AuditContext) => Promise<T>;

/**
 * Opens a session in the account of the phone number.
 * @returns the tokens of the session, a token by which the device is known later, and the account
 * @throws Problem `wrong_code`, `too_many_tries`; `feature_disabled` if sign-ups are switched off
 */
export async function signInWithCode<T>(
  services: AuthServices,
  request: FastifyRequest,
  { phone, country, code, deviceToken }: Static<typeof CodeProof>,
  open: OpenSession<T>,
) {
  const { number } = readPhone(phone, readCountry(country) ?? services.config.defaultCountry);
  const context = auditContextOf(services, request);
  const outcome = await transaction(services.db, async (tx) => {
    const sender = senderOf(services, request, deviceToken);
    const proof = { phone: number, purpose: 'sign_in', code, field: 'code', sender } as const;
    const problem = await checkCode(tx, context, proof);
    return problem ?? signInTo(tx, services, context, number, request, open);
  });
  // A refusal is returned and not thrown inside the transaction: the commit counts the failed try.
  if (outcome instanceof Problem) throw outcome;
  return outcome;
}

async function signInTo<T>(
  tx: Transaction,
  { config, flags }: AuthServices,
  context: AuditContext,
  phone: string,
  request: FastifyRequest,
  open: OpenSession<T>,
) {
  const phoneHash = hashPhone(config.secretKey, phone);
  await rememberNetwork(tx, context, phoneHash, request.ip);
  const { id, isNew, isSuspended } = await findOrCreateAccount(tx, phone, context.now);
  if (isNew) await flags.require('signUps');
  const userAgent = request.headers['user-agent']?.slice(0, maxUserAgentLength) ?? '';
  const tokens = await open(tx, { userId: id, userAgent, isSuspended }, context);
  await recordAudit(tx, context, { userId: id }, isNew ? 'account_created' : 'signed_in');
  const me = await requireMe(tx, id);
  // Only a client that proved the phone learns of the suspension.
  const deviceToken = newDeviceToken(config.secretKey, phoneHash, context.now);
  return {
    tokens,
    deviceToken,
    account: { isNewUser: isNew, isSuspended, user: toMe(me, config.publicUrl) },
  };
}
