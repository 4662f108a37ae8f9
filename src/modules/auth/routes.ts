import { Type } from 'typebox';
import { recordAudit } from '../../audit/audit.ts';
import { transaction } from '../../db/transaction.ts';
import type { App } from '../../http/app.ts';
import { requireCaller } from '../../http/authenticate.ts';
import { route } from '../../http/route.ts';
import { ref, Success } from '../../http/schemas.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import type { Deps } from '../../server/build-app.ts';
import { findMe } from '../users/own-profile.ts';
import { Me } from '../users/own-profile-schemas.ts';
import { toMe } from '../users/present-own-profile.ts';
import { findOrCreateAccount, readPhone } from './accounts.ts';
import { checkCode, sendCode } from './codes.ts';
import { deleteSession, listSessions } from './repo.ts';
import {
  CodeProof,
  CodeRequest,
  CodeSent,
  RefreshRequest,
  Session,
  SessionParams,
  SignedIn,
  TokenPair,
} from './schemas.ts';
import { openSession, refreshSession } from './sessions.ts';

export function authRoutes(app: App, deps: Deps): void {
  const { db, config, clock } = deps;
  const traceOf = ({ ip }: { ip: string }) => ({ secretKey: config.secretKey, now: clock(), address: ip });

  app.post(
    '/v1/auth/otp/request',
    route({
      name: 'requestCode',
      access: 'public',
      tag: 'Sign in',
      summary: 'Have a sign-in code sent to a phone',
      description: 'Answers the same for a number with an account and for one without.',
      body: CodeRequest,
      response: { 202: ref(CodeSent) },
      problems: ['too_many_codes', 'sms_unavailable'],
    }),
    async (request, reply) => {
      const sent = await sendCode(deps, readPhone(request.body.phone), 'sign_in', request.ip);
      return reply.code(202).send(sent);
    },
  );

  app.post(
    '/v1/auth/otp/verify',
    route({
      name: 'signIn',
      access: 'public',
      tag: 'Sign in',
      summary: 'Sign in with the code',
      description: 'The first sign-in of a phone makes its account, with a username to be changed at will.',
      body: CodeProof,
      response: { 200: ref(SignedIn) },
      problems: ['wrong_code', 'too_many_tries', 'account_suspended', 'feature_disabled'],
    }),
    async (request) => {
      const { number } = readPhone(request.body.phone);
      const now = clock();
      const userAgent = request.headers['user-agent'] ?? '';
      const outcome = await transaction(db, async (tx) => {
        const problem = await checkCode(
          tx,
          { config, now, address: request.ip },
          number,
          'sign_in',
          request.body.code,
        );
        if (problem) return problem;
        const { id, isNew, isSuspended } = await findOrCreateAccount(tx, number, now);
        // Told only to whoever has the phone, and the code is spent.
        if (isSuspended) return new Problem('account_suspended');
        if (isNew) await deps.flags.require('signUps');
        const tokens = await openSession(tx, config.secretKey, id, userAgent, now);
        await recordAudit(tx, traceOf(request), { userId: id }, isNew ? 'account_created' : 'signed_in');
        const me = await findMe(tx, id);
        return me
          ? { ...tokens, isNewUser: isNew, user: toMe(me, config.publicUrl) }
          : new Problem('unavailable');
      });
      if (outcome instanceof Problem) throw outcome;
      return outcome;
    },
  );

  app.post(
    '/v1/auth/refresh',
    route({
      name: 'refresh',
      access: 'public',
      tag: 'Sign in',
      summary: 'Trade the refresh token for a new pair',
      description:
        'Both old tokens end. The same call within ten seconds gives the same pair again, as long as that is unused; ' +
        'any other reuse ends the session.',
      body: RefreshRequest,
      response: { 200: ref(TokenPair) },
      problems: ['refresh_token_invalid'],
    }),
    async (request) => refreshSession(db, request.body.refreshToken, traceOf(request)),
  );

  app.post(
    '/v1/auth/logout',
    route({
      name: 'logout',
      access: 'required',
      tag: 'Sign in',
      summary: 'End this session',
      description:
        'Its access token and its refresh token stop working at once, on every server. Other devices stay ' +
        'signed in.',
      response: { 200: Success },
    }),
    async (request) => {
      const viewer = requireCaller(request);
      await transaction(db, async (tx) => {
        if (await deleteSession(tx, { userId: viewer.id, sessionId: viewer.sessionId }))
          await recordAudit(tx, traceOf(request), { userId: viewer.id }, 'logged_out');
      });
      return { success: true as const };
    },
  );

  app.get(
    '/v1/auth/me',
    route({
      name: 'getMe',
      access: 'required',
      tag: 'Me',
      summary: 'Your own account',
      description: 'The profile with what only its owner sees, such as the phone number and the role.',
      response: { 200: ref(Me) },
    }),
    async (request) => {
      const me = await findMe(db, requireCaller(request).id);
      if (!me) throw new Problem('token_invalid');
      return toMe(me, config.publicUrl);
    },
  );

  app.get(
    '/v1/auth/sessions',
    route({
      name: 'listSessions',
      access: 'required',
      tag: 'Sign in',
      summary: 'The devices that are signed in',
      description: 'One session for each sign-in. `isCurrent` marks the session of this request.',
      response: { 200: Type.Object({ data: Type.Array(ref(Session)) }) },
    }),
    async (request) => {
      const viewer = requireCaller(request);
      const rows = await listSessions(db, viewer.id, clock());
      return {
        data: rows.map((row) => ({
          id: row.id,
          isCurrent: row.id === viewer.sessionId,
          userAgent: row.userAgent,
          createdAt: row.createdAt.toISOString(),
          refreshedAt: row.refreshedAt.toISOString(),
          expiresAt: row.refreshExpiresAt.toISOString(),
        })),
      };
    },
  );

  app.delete(
    '/v1/auth/sessions/:id',
    route({
      name: 'endSession',
      access: 'required',
      tag: 'Sign in',
      summary: 'Sign a device out',
      description:
        'Ends one session of the caller by its id; its tokens stop working at once, on every server.',
      params: SessionParams,
      response: { 200: Success },
      problems: ['session_not_found'],
    }),
    async (request) => {
      const id = readId(request.params.id, 'session_not_found');
      const { id: userId } = requireCaller(request);
      const isEnded = await transaction(db, async (tx) => {
        const isEnded = await deleteSession(tx, { userId, sessionId: id });
        if (isEnded) await recordAudit(tx, traceOf(request), { userId }, 'device_signed_out');
        return isEnded;
      });
      if (!isEnded) throw new Problem('session_not_found');
      return { success: true as const };
    },
  );
}
