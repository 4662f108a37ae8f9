import { mails } from '../../http/metrics.ts';
import type { BaseServices } from '../../http/services.ts';
import { MailSender } from '../../mail/mail-sender.ts';
import { mailOutcomes } from '../../mail/mailer.ts';
import type { UserServices } from '../users/services.ts';
import { mailContent } from './mail/mail-content.ts';

export type NotificationServices = UserServices & { mailSender: MailSender };

export function createNotificationServices(services: BaseServices) {
  // A series that exists before the first failure shows the failure as an increase.
  for (const use of ['code', 'notice']) for (const outcome of mailOutcomes) mails.inc({ use, outcome }, 0);
  return {
    mailSender: new MailSender(services, {
      write: async (mail) => mailContent(mail, services.config.instanceName),
      count: (outcome) => mails.inc({ use: 'notice', outcome }),
    }),
  };
}
