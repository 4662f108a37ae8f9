import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { body, oneOf } from '../../../http/schemas.ts';
import { lockCaller } from '../../../identity/act-as.ts';
import { contactsOf, messageKinds } from '../../../lib/contact.ts';
import { invalid } from '../../../lib/errors.ts';
import { ownerAt } from '../codes/requesters.ts';
import { CodeSent } from '../codes/schemas.ts';
import { sendCode } from '../codes/send-code.ts';
import { requireMe } from '../profile/repo.ts';
import type { AccountServices } from '../services.ts';

const CodeTarget = body(
  { to: oneOf(messageKinds, { description: 'Which contact of the account gets the code.' }) },
  { examples: [{ to: 'phone' }] },
);

export const requestContactCode = defineEndpoint({
  method: 'POST',
  path: '/v1/me/contact-code',
  summary: 'Send the code that confirms a change of how you sign in',
  description:
    'Sends a code to a contact that the account has. Changes and removals of contacts require it as `confirmCode`, unless the session ' +
    'began in the last ten minutes. Of the codes that were sent to the contacts of the account, the newest is valid.',
  caller: 'fresh',
  body: CodeTarget,
  response: { 202: CodeSent },
  problems: ['too_many_codes', 'sms_unavailable', 'mail_unavailable'],

  async handler({ caller, body, request }, services: AccountServices) {
    const me = await requireMe(services.db, caller.id);
    const contact = contactsOf(me).find(({ kind }) => kind === body.to);
    if (!contact) throw invalid('to', 'must be a contact that the account has');
    const sent = await sendCode(services, {
      contact,
      purpose: 'change_contact',
      sender: ownerAt(request.ip),
      request,
      check: async (tx) => void (await lockCaller(tx, caller)),
    });
    return { status: 202, body: sent };
  },
});
