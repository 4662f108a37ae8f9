/** Text messages: sent through Twilio in earnest, not at all where Potluck is tried out. */
import type { FastifyBaseLogger } from 'fastify';
import twilio from 'twilio';
import type { Config, SmsConfig } from '../config.ts';
import { Problem } from '../errors.ts';
import type { Purpose } from './codes.ts';

export type SmsDriver = {
  /** True when a message leaves this machine: then it costs money, and the limits on sending hold. */
  delivers: boolean;
  /** @throws Problem `sms_unavailable` */
  send(phone: string, purpose: Purpose, code: string): Promise<void>;
};

const texts: Record<Purpose, (code: string) => string> = {
  sign_in: (code) => `${code} is your Potluck code. Nobody from Potluck will ever ask you for it.`,
  delete_account: (code) => `${code} deletes your Potluck account and everything in it, for good.`,
};

export function smsDriver(
  { sms, production }: Pick<Config, 'sms' | 'production'>,
  log: FastifyBaseLogger,
): SmsDriver {
  if (sms.driver === 'twilio') return twilioDriver(sms, log);
  return production ? logDriver(log) : silentDriver;
}

/** The answer itself carries the code, as `devCode`. */
const silentDriver: SmsDriver = { delivers: false, send: async () => {} };

/** In production no answer carries a code. Whoever chose this driver there reads it here, and hands it on. */
function logDriver(log: FastifyBaseLogger): SmsDriver {
  return {
    delivers: false,
    send: async (phone, purpose, code) =>
      log.warn({ number: `…${phone.slice(-3)}`, purpose, code }, 'a code to hand on'),
  };
}

function twilioDriver(config: Extract<SmsConfig, { driver: 'twilio' }>, log: FastifyBaseLogger): SmsDriver {
  const client = twilio(config.accountSid, config.authToken, {
    timeout: 5_000,
    ...(config.baseUrl && { httpClient: redirectedClient(config.baseUrl) }),
  });
  const sender = config.from.startsWith('MG') ? { messagingServiceSid: config.from } : { from: config.from };
  return {
    delivers: true,
    async send(phone, purpose, code) {
      try {
        await client.messages.create({ ...sender, to: phone, body: texts[purpose](code) });
      } catch (error) {
        // Only the status: Twilio's error repeats the phone and the text.
        log.error({ status: (error as { status?: number }).status }, 'Twilio did not take a message');
        throw new Problem('sms_unavailable', { retryAfter: 60 });
      }
    },
  };
}

/** Twilio's own HTTP client, pointed at another host: a regional proxy, or the stub of the tests. */
function redirectedClient(baseUrl: string): twilio.RequestClient {
  const client = new twilio.RequestClient({ timeout: 5_000 });
  const request = client.request.bind(client);
  client.request = (options) => {
    const { pathname, search } = new URL(options.uri);
    return request({ ...options, uri: `${baseUrl}${pathname}${search}` });
  };
  return client;
}
