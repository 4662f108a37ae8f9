/** Hands a code to what sends text messages or mails, and reports what became of it. */
import type { Language } from '../../../../web/src/lib/language/languages.ts';
import { textMessages } from '../../../http/metrics.ts';
import type { CodePurpose } from '../../../lib/contact.ts';
import { type Contact, canReceive } from '../../../lib/contact.ts';
import { MailFailure } from '../../../mail/mailer.ts';
import type { AccountServices } from '../services.ts';
import { SmsFailure } from '../sms/failure.ts';
import type { Trust } from './requesters.ts';

export type DeliveryServices = Pick<AccountServices, 'config' | 'log' | 'sms' | 'mailer'>;

type CodeMessage = {
  contact: Contact;
  purpose: CodePurpose;
  code: string;
  /** The page that does what entering the code does; null if there is none. */
  link: string | null;
  language: Language;
  trust: Trust;
  /** The id of the HTTP request, for the log. */
  requestId: string;
};

/** Whether messages to contacts of the kind leave this machine. The limits on sending then apply. */
export const delivers = ({ sms, mailer }: DeliveryServices, { kind }: Contact): boolean =>
  kind === 'phone' ? sms.delivers : kind === 'email' && mailer.delivers;

/**
 * Sends nothing to an identity, whose code is in the response.
 * @throws SmsFailure, MailFailure, except for an address that the mail server refuses for good
 */
export async function deliverCode(services: DeliveryServices, message: CodeMessage): Promise<void> {
  const { contact, purpose, code, link, language, trust } = message;
  if (!canReceive(contact)) return;
  try {
    if (contact.kind === 'email') {
      const mail = { address: contact.value, purpose, code, link, language };
      return await services.mailer.sendCode({ ...mail, isForStranger: trust === 'unknown' });
    }
    await services.sms.send(contact.value, purpose, code, language);
    countText(services, 'sent');
  } catch (error) {
    if (isFailure(error)) report(services, message, error);
    // The response does not tell strangers which addresses exist, and the mail counts: mail servers block senders who write to
    // many addresses that do not.
    if (error instanceof MailFailure && error.reason === 'rejected') return;
    throw error;
  }
}

export const isFailure = (error: unknown): error is SmsFailure | MailFailure =>
  error instanceof SmsFailure || error instanceof MailFailure;

/** Drivers that deliver nothing have no messages to count. */
export function countText({ config, sms }: DeliveryServices, outcome: 'sent' | SmsFailure['reason']): void {
  if (sms.delivers) textMessages.inc({ driver: config.sms.driver, outcome });
}

const failureTexts: Record<(SmsFailure | MailFailure)['reason'], (service: string) => string> = {
  refused: (service) => `the ${service} refused a message`,
  unreachable: (service) => `the ${service} cannot be reached`,
  timeout: (service) => `the ${service} did not respond in time; the message may have been sent`,
  lost: (service) =>
    `the connection to the ${service} closed before a response; the message may have been sent`,
  rejected: (service) => `the ${service} rejected a message for good`,
  busy: () => 'a mail with a code was not sent, because MAIL_PER_HOUR mails were',
  off: () => 'a mail with a code was not sent, because the server sends no mails',
};

function report(services: DeliveryServices, { requestId }: CodeMessage, failure: SmsFailure | MailFailure) {
  const { reason, logged } = failure;
  const isText = failure instanceof SmsFailure;
  if (isText) countText(services, failure.reason);
  const fields = { reqId: requestId, ...(isText && { driver: services.config.sms.driver }), outcome: reason };
  services.log.error({ ...fields, ...logged }, failureTexts[reason](isText ? 'SMS service' : 'mail server'));
}
