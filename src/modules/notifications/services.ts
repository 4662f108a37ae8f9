import { mails } from '../../http/metrics.ts';
import { MailSender } from '../../mail/mail-sender.ts';
import { mailOutcomes } from '../../mail/mailer.ts';
import type { AccountServices } from '../accounts/services.ts';
import type { EventServices } from '../events/services.ts';
import { endInvitationMail } from '../invitations/invitation-mails.ts';
import { createTextCarrier } from './mail/text-carrier.ts';
import { writeMail } from './mail/write-mail.ts';

export type NotificationServices = EventServices & { mailSender: MailSender };

export function createNotificationServices(services: AccountServices) {
  // A series that exists before the first failure shows the failure as an increase.
  for (const use of ['code', 'notice']) for (const outcome of mailOutcomes) mails.inc({ use, outcome }, 0);
  return {
    mailSender: new MailSender(services, {
      write: (mail) => writeMail(services, mail),
      count: (outcome) => mails.inc({ use: 'notice', outcome }),
      texts: createTextCarrier(services),
      end: (mail, isSent) => endInvitationMail(services.db, mail, isSent),
    }),
  };
}
