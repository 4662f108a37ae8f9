import { defineEndpoint } from '../../http/define-endpoint.ts';
import { lockAnyCaller } from '../../identity/act-as.ts';
import { ownerAt } from '../auth/requesters.ts';
import { CodeSent } from '../auth/schemas.ts';
import { sendCode } from '../auth/send-code.ts';
import { requireMe } from '../users/own-profile.ts';
import { confirmingContact } from './confirming-contact.ts';
import type { AccountServices } from './services.ts';

export const requestDeleteCode = defineEndpoint({
  method: 'POST',
  path: '/v1/me/delete-code',
  summary: 'Send the code that confirms the deletion of your account',
  description:
    'Sends a code to the phone number of the account, or to its mail address if it has no number. `DELETE /v1/me` requires it ' +
    'as `confirmCode`. The message is in the language of `Accept-Language`, as that of a sign-in is.',
  access: 'required',
  allowsSuspended: true,
  response: { 202: CodeSent },
  problems: ['too_many_codes', 'sms_unavailable', 'mail_unavailable'],

  async handler({ caller, request }, services: AccountServices) {
    const sent = await sendCode(services, {
      contact: confirmingContact(await requireMe(services.db, caller.id)),
      purpose: 'delete_account',
      sender: ownerAt(request.ip),
      request,
      // A code that is stored after the deletion of the account would never be deleted with it.
      check: (tx) => lockAnyCaller(tx, caller),
    });
    return { status: 202, body: sent };
  },
});
