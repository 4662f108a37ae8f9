/** The message that `--send-to` sends. */
import { newId } from '#base';
import { baseLanguage } from '../../../web/src/lib/language/languages.ts';
import type { Config } from '../../config/config.ts';
import { defaultInstanceName } from '../../config/instance-name.ts';
import { broken, type Check, good, type Result } from '../../doctor/finding.ts';
import { createTransport } from '../../mail/transport.ts';
import { sendTestText } from '../../modules/accounts/sms/doctor.ts';
import { mailContextOf, ownContent } from '../../modules/notifications/mail/mail-content.ts';
import { describeFailure } from './mail.ts';

export const testMessage: Check = {
  name: 'test message',
  variables: ['SMS_', 'TWILIO_', 'MAIL_'],
  async run({ config, sendTo }) {
    if (!sendTo) return [];
    return sendTo.kind === 'phone' ? sendTestText(config, sendTo.value) : sendMail(config, sendTo.value);
  },
};

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
