/** What the command doctor examines of the service that sends text messages. */
import { baseLanguage } from '../../../../web/src/lib/language/languages.ts';
import type { Config } from '../../../config/config.ts';
import { defaultInstanceName } from '../../../config/instance-name.ts';
import { broken, type Check, good, type Result, skipped, warning } from '../../../doctor/finding.ts';
import { senderOf } from './driver.ts';
import { SmsFailure } from './failure.ts';
import { testText } from './texts.ts';

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

/** Sends the message of `--send-to`. */
export async function sendTestText(
  { sms, instanceName = defaultInstanceName }: Config,
  phone: string,
): Promise<Result> {
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
