import { defineEndpoint } from '../../http/define-endpoint.ts';
import { readId } from '../../lib/ids.ts';
import { senderOf } from '../accounts/codes/requesters.ts';
import { CodeSent } from '../accounts/codes/schemas.ts';
import { sendCode } from '../accounts/codes/send-code.ts';
import { EventParams } from '../events/schemas.ts';
import { mailTokenOf } from '../invitations/mail-token.ts';
import { InvitationHeaders } from '../invitations/open-invitation.ts';
import { readContact } from './contacts.ts';
import { requireGuestEvent } from './guest-event.ts';
import { GuestCodeRequest } from './schemas.ts';
import type { GuestServices } from './services.ts';

export const requestGuestCode = defineEndpoint({
  method: 'POST',
  path: '/v1/events/:id/guest-code',
  summary: 'Send a code to a guest without an account',
  description:
    'Of `email` and `phone`, one is required. The code is valid for this event alone, and signs in to no account. The limits are ' +
    'those of the codes of a sign-in. The mail also has a link to a page of the event, whose form needs no code. The response is ' +
    'the same for every contact, also for that of an account.',
  caller: 'none',
  params: EventParams,
  headers: InvitationHeaders,
  body: GuestCodeRequest,
  response: { 202: CodeSent },
  problems: [
    'event_not_found',
    'invitation_not_found',
    'module_disabled',
    'feature_disabled',
    'too_many_codes',
    'sms_unavailable',
    'mail_unavailable',
  ],

  async handler({ params, body, request }, services: GuestServices) {
    const contact = readContact(body, services);
    const eventId = readId(params.id, 'event_not_found');
    const { opened } = await requireGuestEvent(services, request, eventId, contact.kind);
    const sender = senderOf(services, request, body.deviceToken);
    // The link of the mail opens what the header does, and not the invitation itself.
    const invitationId = opened?.invitation?.id ?? null;
    const parameters = opened
      ? { invitation: mailTokenOf(services.config.secretKey, { eventId, invitationId }) }
      : {};
    const sent = await sendCode(services, {
      ...{ contact, purpose: 'guest', eventId, sender, request, parameters },
    });
    return { status: 202, body: sent };
  },
});
