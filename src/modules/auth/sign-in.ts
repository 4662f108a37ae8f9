import type { FastifyRequest } from 'fastify';
import { type AuditContext, recordAudit } from '../../audit/audit.ts';
import { type Transaction, transaction } from '../../db/transaction.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { ref } from '../../http/schemas.ts';
import { Problem } from '../../lib/errors.ts';
import { readPhone } from '../../lib/phone.ts';
import { findMe } from '../users/own-profile.ts';
import { toMe } from '../users/present-own-profile.ts';
import { findOrCreateAccount } from './accounts.ts';
import { auditContextOf } from './audit-context.ts';
import { checkCode } from './check-code.ts';
import { CodeProof, SignedIn } from './schemas.ts';
import type { AuthServices } from './services.ts';
import { openSession } from './sessions.ts';

export const signIn = defineEndpoint({
  method: 'POST',
  path: '/v1/auth/otp/verify',
  operationId: 'signIn',
  tag: 'Sign in',
  summary: 'Sign in with the code',
  description:
    'The first sign-in of a phone number creates its account, with a generated username that can be changed.\n\n' +
    'If the account is suspended, `isSuspended` is true. The session then permits only GET /v1/me/export, ' +
    'POST /v1/me/delete-code, DELETE /v1/me and POST /v1/auth/logout; every other operation refuses its token with a ' +
    '403 `account_suspended`. It ends after 30 minutes and cannot be refreshed.',
  access: 'public',
  body: CodeProof,
  response: { 200: ref(SignedIn) },
  problems: ['wrong_code', 'too_many_tries', 'feature_disabled'],

  async handler({ body, request }, services: AuthServices) {
    const phone = readPhone(body.phone).number;
    const context = auditContextOf(services, request);
    const outcome = await transaction(services.db, async (tx) => {
      const proof = { phone, purpose: 'sign_in', code: body.code, field: 'code' } as const;
      const problem = await checkCode(tx, context, proof);
      return problem ?? signInTo(tx, services, context, phone, request);
    });
    // A refusal is returned and not thrown inside the transaction: the commit counts the failed try.
    if (outcome instanceof Problem) throw outcome;
    return { status: 200, body: outcome };
  },
});

/**
 * Opens a session in the account of the number. @throws Problem `feature_disabled` if sign-ups are switched
 * off
 */
async function signInTo(
  tx: Transaction,
  { config, flags }: AuthServices,
  context: AuditContext,
  phone: string,
  request: FastifyRequest,
) {
  const { id, isNew, isSuspended } = await findOrCreateAccount(tx, phone, context.now);
  if (isNew) await flags.require('signUps');
  const userAgent = request.headers['user-agent'] ?? '';
  const session = { userId: id, userAgent, isSuspended };
  const tokens = await openSession(tx, context.secretKey, session, context.now);
  await recordAudit(tx, context, { userId: id }, isNew ? 'account_created' : 'signed_in');
  const me = await findMe(tx, id);
  if (!me) return new Problem('unavailable');
  // Only a client that proved the phone learns of the suspension.
  return { ...tokens, isNewUser: isNew, isSuspended, user: toMe(me, config.publicUrl) };
}
