/** Sends mails of the queue to phone numbers, as text messages: the subject, and the address of the page. */
import type { Database } from '#pg';
import type { ReadyConfig } from '../../../config/config.ts';
import { shorten } from '../../../lib/text.ts';
import type { MailContent } from '../../../mail/layout.ts';
import type { Carrier } from '../../../mail/mail-sender.ts';
import { MailFailure } from '../../../mail/mailer.ts';
import { countNotice, uncountNotice } from '../../accounts/codes/repo.ts';
import type { SmsDriver } from '../../accounts/sms/driver.ts';
import { SmsFailure } from '../../accounts/sms/failure.ts';

type CarrierServices = {
  db: Database;
  config: Pick<ReadyConfig, 'smsNoticesPerDay'>;
  sms: Pick<SmsDriver, 'sendNotice'>;
};

/** With a short address of a page, a text of this length is one message. */
const maxSubject = 100;

const textOf = ({ subject, button }: MailContent): string =>
  [shorten(subject, maxSubject), ...(button ? [button.url] : [])].join('\n');

export const createTextCarrier = ({ db, config, sms }: CarrierServices): Carrier => ({
  isOn: true,
  count: (now) => countNotice(db, config.smsNoticesPerDay, now),
  uncount: (countedAt) => uncountNotice(db, countedAt),
  async send({ to, content }) {
    try {
      await sms.sendNotice(to, textOf(content));
    } catch (error) {
      if (error instanceof SmsFailure) throw new MailFailure(error.reason, { reply: error.reply });
      throw error;
    }
    return 'accepted';
  },
});
