import { transaction } from '#pg';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { languageOf } from '../../http/request-language.ts';
import { contactsOf, type MessageContact, type MessageKind } from '../../lib/contact.ts';
import { invalid } from '../../lib/errors.ts';
import { MailFailure } from '../../mail/mailer.ts';
import { countMessage } from '../accounts/codes/count-message.ts';
import { delivers } from '../accounts/codes/deliver-code.ts';
import { requireMe } from '../accounts/profile/repo.ts';
import { SmsFailure } from '../accounts/sms/failure.ts';
import { mailContextOf, ownContent } from '../notifications/mail/mail-content.ts';
import { TestMessage, TestMessageState } from './schemas.ts';
import type { InstanceServices } from './services.ts';

export const sendTestMessage = defineEndpoint({
  method: 'POST',
  path: '/v1/admin/test-message',
  summary: 'Send a test message to yourself',
  description:
    "For admins. The message goes to the caller's own phone number or mail address, at once and within the limits of codes. The " +
    'response has the words of the mail server or of the SMS service, also if it refuses the message.',
  caller: 'admin',
  body: TestMessage,
  response: { 200: TestMessageState },
  problems: ['too_many_codes', 'mail_unavailable'],

  async handler({ caller, body, request }, services: InstanceServices) {
    const { db, config, clock } = services;
    const contact = await findContact(services, caller.id, body.to);
    if (body.to === 'email' && !services.mailer.isOn) throw new MailFailure('off');
    const message = { contact, address: request.ip, trust: 'device', now: clock() } as const;
    if (delivers(services, contact)) await transaction(db, (tx) => countMessage(tx, config, message));
    try {
      return { status: 200, body: { isAccepted: true, reply: await send(services, contact, request) } };
    } catch (error) {
      if (!(error instanceof MailFailure || error instanceof SmsFailure)) throw error;
      return { status: 200, body: { isAccepted: false, reply: error.reply || error.reason } };
    }
  },
});

async function findContact(
  { db }: InstanceServices,
  userId: string,
  kind: MessageKind,
): Promise<MessageContact> {
  const contact = contactsOf(await requireMe(db, userId)).find((each) => each.kind === kind);
  if (!contact) throw invalid('to', 'is a contact that your account does not have');
  return { kind, value: contact.value };
}

/** @returns the words of the mail server; empty for a text message. @throws MailFailure, SmsFailure */
async function send(
  services: InstanceServices,
  { kind, value }: MessageContact,
  request: Parameters<typeof languageOf>[1],
): Promise<string> {
  const language = await languageOf(services, request);
  if (kind === 'phone') {
    await services.sms.sendTest(value, language);
    return '';
  }
  const { name } = await services.instance.settings();
  const content = ownContent('test', language, mailContextOf(services.config, name));
  return services.mailer.sendNow({ to: value, content });
}
