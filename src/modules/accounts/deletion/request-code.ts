import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { lockAnyCaller } from '../../../identity/act-as.ts';
import { canReceive } from '../../../lib/contact.ts';
import { Problem } from '../../../lib/errors.ts';
import { ownerAt } from '../codes/requesters.ts';
import { CodeSent } from '../codes/schemas.ts';
import { sendCode } from '../codes/send-code.ts';
import { requireMe } from '../profile/repo.ts';
import type { AccountServices } from '../services.ts';
import { isFreshSession } from '../sessions/repo.ts';
import { confirmingContact } from './confirming-contact.ts';

export const requestDeleteCode = defineEndpoint({
  method: 'POST',
  path: '/v1/me/delete-code',
  summary: 'Send the code that confirms the deletion of your account',
  description:
    'Sends a code to the phone number of the account, or to its mail address if it has no number. `DELETE /v1/me` requires it ' +
    'as `confirmCode`. A contact that was added to the account in the last day gets none (403 `contact_too_new` without another ' +
    'one). The message is in the language of `Accept-Language`, as that of a sign-in is.\n\n' +
    'To an account that signs in with OpenID Connect alone, no message can be sent. Its code is in the response (`code`), if the ' +
    'session began in the last ten minutes; otherwise the response is a 403 `sign_in_again`.',
  caller: 'fresh',
  session: { allowsSuspended: true },
  response: { 202: CodeSent },
  problems: ['sign_in_again', 'contact_too_new', 'too_many_codes', 'sms_unavailable', 'mail_unavailable'],

  async handler({ caller, request }, services: AccountServices) {
    const contact = await confirmingContact(services, services.db, await requireMe(services.db, caller.id));
    const sent = await sendCode(services, {
      contact,
      purpose: 'delete_account',
      sender: ownerAt(request.ip),
      request,
      // A code that is stored after the deletion of the account would never be deleted with it.
      check: async (tx) => {
        await lockAnyCaller(tx, caller);
        // A fresh sign-in proves what a message would: that the person, and not only the session, asks for it.
        if (!canReceive(contact) && !(await isFreshSession(tx, caller, services.clock())))
          throw new Problem('sign_in_again');
      },
    });
    return { status: 202, body: sent };
  },
});
