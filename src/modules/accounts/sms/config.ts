/** How codes are sent. */
import type { Reader } from '../../../config/reader.ts';
import { type HttpSmsConfig, readHttpSms } from './config-http.ts';

export type TwilioConfig = {
  driver: 'twilio';
  accountSid: string;
  authToken: string;
  from: string;
  baseUrl: string | undefined;
};
export type SmsConfig = { driver: 'console' } | TwilioConfig | HttpSmsConfig;

/**
 * The variables whose values no output of the command doctor may contain: whole, as a password in a URL, or as any word of a
 * template.
 */
export const smsSecrets = {
  plain: ['TWILIO_AUTH_TOKEN'],
  urls: ['SMS_HTTP_URL'],
  templates: ['SMS_HTTP_URL', 'SMS_HTTP_HEADERS', 'SMS_HTTP_BODY'],
};

/** @param isRequired where people sign in by phone: that codes only appear in the log must be a deliberate choice */
export function readSms(read: Reader, isRequired: boolean): SmsConfig {
  if (isRequired && read.text('SMS_DRIVER') === undefined) {
    read.faults.push(
      'SMS_DRIVER is not set; in production it must be: twilio or http, which send the codes, ' +
        'or console, which only writes them into the log of this server. With SIGN_IN=email, none is needed.',
    );
  }
  switch (read.oneOf('SMS_DRIVER', ['console', 'twilio', 'http'], 'console')) {
    case 'twilio':
      return readTwilio(read);
    case 'http':
      return readHttpSms(read);
    default:
      return { driver: 'console' };
  }
}

function readTwilio(read: Reader): TwilioConfig {
  const accountSid = read.needed('TWILIO_ACCOUNT_SID', 'SMS_DRIVER=twilio needs it');
  if (accountSid && !/^AC[\da-f]{32}$/i.test(accountSid))
    read.faults.push('TWILIO_ACCOUNT_SID is not an account SID; those are AC and 32 hexadecimal digits.');
  return {
    driver: 'twilio',
    accountSid,
    authToken: read.needed('TWILIO_AUTH_TOKEN', 'SMS_DRIVER=twilio needs it'),
    from: readSender(read),
    baseUrl: read.url('TWILIO_BASE_URL', ['http:', 'https:']),
  };
}

/**
 * The senders that Twilio accepts: a number in E.164 format, a short code, a messaging service, or a name of at most 11
 * characters with a letter, which many countries allow and some, such as the United States, do not.
 */
const senders = [/^\+[1-9]\d{6,14}$/, /^\d{3,8}$/, /^MG[\da-f]{32}$/i, /^(?=.*[a-z])[a-z\d &+_-]{1,11}$/i];

function readSender(read: Reader): string {
  const why = 'SMS_DRIVER=twilio needs the number or messaging service that sends';
  const sender = read.needed('TWILIO_FROM', why);
  if (sender && !senders.some((pattern) => pattern.test(sender))) {
    read.faults.push(
      `TWILIO_FROM is "${sender}"; it must be a number such as +12025550102, a short code, a messaging service ` +
        '(MG and 32 hexadecimal digits), or a name of at most 11 letters, digits and spaces.',
    );
  }
  return sender;
}
