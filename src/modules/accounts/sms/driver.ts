/** Drivers for text messages: a service, or for development no messages at all. */
import type { FastifyBaseLogger } from 'fastify';
import { notExported } from '#telemetry';
import type { Language } from '../../../../web/src/lib/language/languages.ts';
import type { Config } from '../../../config/config.ts';
import { textMessages } from '../../../http/metrics.ts';
import type { CodePurpose } from '../../../lib/contact.ts';
import type { SendText } from './call-service.ts';
import type { SmsConfig } from './config.ts';
import { smsFailures } from './failure.ts';
import { httpSender } from './http-service.ts';
import { contactChangedText, messageText, testText } from './texts.ts';
import { twilioSender } from './twilio.ts';

export type SmsDriver = {
  /** Whether messages leave this machine. They then cost money, and the limits on sending apply. */
  delivers: boolean;
  /** @throws SmsFailure */
  send(phone: string, purpose: CodePurpose, code: string, language: Language): Promise<void>;
  /** Tells that the number or address of an account was changed. @throws SmsFailure */
  tellOfChange(phone: string, language: Language): Promise<void>;
  /** Sends a text that is no code, such as that an event is cancelled. @throws SmsFailure */
  sendNotice(phone: string, text: string): Promise<void>;
  /** @throws SmsFailure */
  sendTest(phone: string, language: Language): Promise<void>;
};

type DriverConfig = Pick<Config, 'sms' | 'devCodes' | 'publicUrl'>;

/** Creates the driver of the configuration. @param nameOf the name of the instance when a message is sent */
export function createSmsDriver(
  config: DriverConfig,
  log: FastifyBaseLogger,
  nameOf: () => Promise<string>,
): SmsDriver {
  const { sms, devCodes, publicUrl } = config;
  const naming = async () => ({ publicUrl, instanceName: await nameOf() });
  const sendText = senderOf(sms);
  if (!sendText) return devCodes ? silentDriver : createLogDriver(log);
  // A series that exists before the first failure shows the failure as an increase.
  for (const outcome of ['sent', ...smsFailures]) textMessages.inc({ driver: sms.driver, outcome }, 0);
  return {
    delivers: true,
    send: async (phone, purpose, code, language) =>
      sendText(phone, messageText({ purpose, code, language }, await naming())),
    tellOfChange: async (phone, language) => sendText(phone, contactChangedText(language, await naming())),
    sendNotice: sendText,
    sendTest: async (phone, language) => sendText(phone, testText(language, await naming())),
  };
}

/** Returns null for the driver that sends no messages. */
export function senderOf(sms: SmsConfig): SendText | null {
  switch (sms.driver) {
    case 'twilio':
      return twilioSender(sms);
    case 'http':
      return httpSender(sms);
    default:
      return null;
  }
}

/** Sends nothing: the response carries the code as `devCode`. */
const silentDriver: SmsDriver = {
  delivers: false,
  send: async () => {},
  tellOfChange: async () => {},
  sendNotice: async () => {},
  sendTest: async () => {},
};

const shortened = (phone: string) => `…${phone.slice(-3)}`;

/** Writes the code to the log, for servers whose responses carry no code. The operator passes it on. */
function createLogDriver(log: FastifyBaseLogger): SmsDriver {
  return {
    delivers: false,
    send: async (phone, purpose, code) =>
      log.warn(
        { [notExported]: true, number: shortened(phone), purpose, code },
        'one-time code; no message was sent',
      ),
    tellOfChange: async (phone) =>
      log.warn({ number: shortened(phone) }, 'a contact of an account was changed; no message was sent'),
    sendNotice: async (phone, text) =>
      log.warn(
        { [notExported]: true, number: shortened(phone), text },
        'no message was sent; this is its text',
      ),
    sendTest: async (phone) => log.warn({ number: shortened(phone) }, 'a test; no message was sent'),
  };
}
