import { anonymizeAudit } from '../../audit/audit.ts';
import { transaction } from '../../db/transaction.ts';
import type { App } from '../../http/app.ts';
import { requireCaller } from '../../http/authenticate.ts';
import { route } from '../../http/route.ts';
import { ref, Success } from '../../http/schemas.ts';
import { actAs, lockCaller } from '../../identity/act-as.ts';
import { Problem } from '../../lib/errors.ts';
import type { Deps } from '../../server/build-app.ts';
import { readPhone } from '../auth/accounts.ts';
import { checkCode, hashPhone, sendCode } from '../auth/codes.ts';
import { CodeSent } from '../auth/schemas.ts';
import { uploadIdOf } from '../uploads/present.ts';
import { removeFiles, reportRemainingFiles } from '../uploads/sweep.ts';
import { findMe, notOwnUpload, updateMe } from '../users/own-profile.ts';
import { DeleteAccountBody, Me, MeChange } from '../users/own-profile-schemas.ts';
import { toMe } from '../users/present-own-profile.ts';
import { deleteAccount } from './delete-account.ts';

export function meRoutes(app: App, deps: Deps): void {
  const { db, config, clock, storage } = deps;

  // Spec 4.7
  app.patch(
    '/v1/me',
    route({
      name: 'updateMe',
      access: 'required',
      tag: 'Me',
      summary: 'Change your profile',
      description: 'Fields that are left out stay as they are.',
      body: MeChange,
      response: { 200: ref(Me) },
      problems: ['username_taken'],
    }),
    async (request) => {
      const viewer = requireCaller(request);
      const { avatar, ...change } = request.body;
      const row = await actAs(db, viewer, async (tx) => {
        await updateMe(tx, viewer.id, {
          ...change,
          ...(avatar !== undefined && { avatarUpload: avatar && readAvatar(avatar, config.publicUrl) }),
        });
        return findMe(tx, viewer.id);
      });
      if (!row) throw new Problem('token_invalid');
      return toMe(row, config.publicUrl);
    },
  );

  app.post(
    '/v1/me/delete-code',
    route({
      name: 'requestDeleteCode',
      access: 'required',
      tag: 'Me',
      summary: 'Have the code sent that deletes your account',
      description:
        'Sends a code to the phone number of the account. `DELETE /v1/me` takes it as `confirmCode`.',
      response: { 202: ref(CodeSent) },
      problems: ['too_many_codes', 'sms_unavailable'],
    }),
    async (request, reply) => {
      const viewer = requireCaller(request);
      const me = await findMe(db, viewer.id);
      if (!me) throw new Problem('token_invalid');
      const phone = readPhone(me.phone);
      // A code that was stored after the account was gone would stay.
      const sent = await sendCode(deps, phone, 'delete_account', request.ip, (tx) => lockCaller(tx, viewer));
      return reply.code(202).send(sent);
    },
  );

  // Spec 4.8
  app.delete(
    '/v1/me',
    route({
      name: 'deleteMe',
      access: 'required',
      tag: 'Me',
      summary: 'Delete your account and everything in it, for good',
      description:
        'Needs the newest code of POST /v1/me/delete-code. Your events, items, RSVPs, claims and follows go with it, ' +
        'and every token of yours is refused from the answer on.',
      body: DeleteAccountBody,
      response: { 200: Success },
      problems: ['wrong_code', 'too_many_tries'],
      // As long as the deletion of somebody who organized thousands of events may take.
      timeoutMs: 60_000,
    }),
    async (request) => {
      const viewer = requireCaller(request);
      const outcome = await transaction(db, async (tx) => {
        const me = await findMe(tx, viewer.id);
        if (!me) return new Problem('token_invalid');
        const now = clock();
        const check = { config, now, address: request.ip };
        const problem = await checkCode(
          tx,
          check,
          me.phone,
          'delete_account',
          request.body.confirmCode,
          'confirmCode',
        );
        // Held up by the same person's deletion, this finds neither code nor caller, and must leave nothing behind.
        await lockCaller(tx, viewer);
        if (problem) return problem;
        const { secretKey } = config;
        const files = await deleteAccount(tx, viewer.id, hashPhone(secretKey, me.phone));
        await anonymizeAudit(tx, { secretKey, now, address: null }, viewer.id, me.phone);
        return files;
      });
      if (outcome instanceof Problem) throw outcome;
      await removeFiles(db, storage, outcome).catch((error) => reportRemainingFiles(app.log, error));
      return { success: true as const };
    },
  );
}

/** @throws Problem `invalid_request` for an address that is not an upload's */
function readAvatar(url: string, publicUrl: string): string {
  const id = uploadIdOf(publicUrl, url);
  if (id === null) throw notOwnUpload();
  return id;
}
