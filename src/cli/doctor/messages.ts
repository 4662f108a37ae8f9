/** Text messages, and the message that `--send-to` sends. */
import { newId } from '#base';
import { baseLanguage } from '../../../web/src/lib/language/languages.ts';
import type { Config } from '../../config/config.ts';
import { defaultInstanceName } from '../../config/instance-name.ts';
import { createTransport } from '../../mail/transport.ts';
import { senderOf } from '../../modules/accounts/sms/driver.ts';
import { SmsFailure } from '../../modules/accounts/sms/failure.ts';
import { testText } from '../../modules/accounts/sms/texts.ts';
import { mailContextOf, ownContent } from '../../modules/notifications/mail/mail-content.ts';
import { broken, type Check, good, type Result, skipped, warning } from './finding.ts';
import { describeFailure } from './mail.ts';

const services = { twilio: 'Twilio', http: 'the service at SMS_HTTP_URL' };

export const textMessages: Check = {
  name: 'text messages',
  variables: ['SMS_', 'TWILIO_'],
  async run({ config: { sms, signIn, production } }) {
    if (!signIn.includes('phone')) return skipped('People do not sign in by phone.');
    if (sms.driver !== 'console')
      return skipped(
        `Codes go through ${services[sms.driver]}; no message was sent.`,
        'To send one, run: bin/potluck doctor --send-to NUMBER',
      );
    const text = 'Codes are sent to no one (SMS_DRIVER=console).';
    const next = 'Set SMS_DRIVER to twilio or http, or SIGN_IN=email (docs/operating.md, Text messages).';
    return production ? warning(text, next) : skipped(text, next);
  },
};

export const testMessage: Check = {
  name: 'test message',
  variables: ['SMS_', 'TWILIO_', 'MAIL_'],
  async run({ config, sendTo }) {
    if (!sendTo) return [];
    return sendTo.kind === 'phone' ? sendText(config, sendTo.value) : sendMail(config, sendTo.value);
  },
};

async function sendText({ sms, instanceName = defaultInstanceName }: Config, phone: string): Promise<Result> {
  const send = senderOf(sms);
  if (!send)
    return broken('No message was sent: SMS_DRIVER is console.', 'Set SMS_DRIVER to twilio or http.');
  try {
    await send(phone, testText(baseLanguage, { instanceName }));
    return good('The service accepted the text message. Look whether it arrives.');
  } catch (error) {
    if (!(error instanceof SmsFailure)) throw error;
    const { status, code } = error.logged;
    const facts = [status && `status ${status}`, code && `code ${code}`].filter(Boolean).join(', ');
    return broken(
      `The service did not accept the text message: ${error.reason} (${facts}). ${error.reply && `Its words: ${error.reply}.`}`.trim(),
      'Correct the variables of the service, or ask it with these words.',
    );
  }
}

async function sendMail(config: Config, address: string): Promise<Result> {
  const { mail } = config;
  if (mail.driver !== 'smtp')
    return broken('No mail was sent: there is no mail server.', 'Set MAIL_URL and MAIL_FROM.');
  const name = config.instanceName ?? defaultInstanceName;
  const transport = createTransport(mail, async () => name);
  const content = ownContent('test', baseLanguage, mailContextOf(config, name));
  try {
    const words = await transport.send({ id: newId(), to: address, content });
    return good(
      `The mail server accepted the mail: ${words}. Look whether it arrives, and not among unwanted mails.`,
    );
  } catch (error) {
    return describeFailure(error, 'The mail server did not accept the mail');
  } finally {
    transport.close();
  }
}
