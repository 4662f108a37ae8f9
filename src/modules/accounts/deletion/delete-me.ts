import type { IncomingHttpHeaders } from 'node:http';
import { Type } from 'typebox';
import { transaction } from '#pg';
import { auditContextOf } from '../../../audit/audit.ts';
import { signedOutHeaders } from '../../../http/browser-cookie.ts';
import { requireMatch } from '../../../http/conditional.ts';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { body, Success } from '../../../http/schemas.ts';
import { lockAnyCaller } from '../../../identity/act-as.ts';
import type { Caller } from '../../../identity/caller.ts';
import { contactsOf } from '../../../lib/contact.ts';
import { Problem } from '../../../lib/errors.ts';
import { tryRemoveFiles } from '../../uploads/sweep.ts';
import { checkCode } from '../codes/check-code.ts';
import { lockContacts, lockContactsOf } from '../codes/contact-locks.ts';
import { hashContacts } from '../codes/hashes.ts';
import { ownerAt } from '../codes/requesters.ts';
import { versionOfMe } from '../profile/present.ts';
import { requireMe } from '../profile/repo.ts';
import type { AccountServices } from '../services.ts';
import { confirmingContact } from './confirming-contact.ts';
import { deletePerson } from './delete-person.ts';

const DeleteAccountBody = body(
  { confirmCode: Type.String({ maxLength: 20, description: 'The code of POST /v1/me/delete-code.' }) },
  { examples: [{ confirmCode: '493027' }] },
);

export const deleteMe = defineEndpoint({
  method: 'DELETE',
  path: '/v1/me',
  summary: 'Delete your account and all of its data permanently',
  description:
    'Requires the newest code of POST /v1/me/delete-code. Deletes your events, items, RSVPs, claims and follows. After ' +
    'the response, the server refuses all of your tokens.',
  caller: 'fresh',
  session: { allowsSuspended: true },
  etag: 'ifMatch',
  body: DeleteAccountBody,
  response: { 200: Success },
  problems: ['contact_too_new', 'wrong_code', 'too_many_tries'],
  // The deletion of an organizer of thousands of events takes this long.
  limits: { timeoutMs: 60_000 },

  async handler({ caller, body, request }, services: AccountServices) {
    const outcome = await deleteWithCode(services, caller, body.confirmCode, request);
    if (outcome instanceof Problem) throw outcome;
    await tryRemoveFiles(services, outcome);
    const headers = signedOutHeaders(request, services.config);
    return { status: 200, body: { success: true as const }, headers };
  },
});

/** Returns the ids of the files to remove, or the refusal: the commit counts the failed try. */
const deleteWithCode = (
  services: AccountServices,
  caller: Caller,
  code: string,
  request: { ip: string; headers: IncomingHttpHeaders },
): Promise<string[] | Problem> =>
  transaction(services.db, async (tx) => {
    const context = auditContextOf(services, request);
    await lockContactsOf(tx, context.secretKey, caller.id);
    const me = await requireMe(tx, caller.id);
    requireMatch(request, versionOfMe(me));
    const contacts = contactsOf(me);
    await lockContacts(tx, hashContacts(context.secretKey, contacts));
    const [contact, sender] = [await confirmingContact(services, tx, me), ownerAt(request.ip)];
    const proof = { contact, purpose: 'delete_account', code, field: 'confirmCode', sender } as const;
    const problem = await checkCode(tx, context, proof);
    // After a concurrent deletion of the same account there is neither a code nor a caller, and the throw
    // rolls back.
    await lockAnyCaller(tx, caller);
    if (problem) return problem;
    return deletePerson(tx, services, context, { userId: caller.id, contacts });
  });
