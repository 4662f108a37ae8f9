/** Text messages: printed to the log in development, sent through Twilio in earnest. */
import type { FastifyBaseLogger } from 'fastify';
import twilio from 'twilio';
import type { SmsConfig } from '../config.ts';
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

export function smsDriver(config: SmsConfig, log: FastifyBaseLogger): SmsDriver {
  return config.driver === 'console' ? consoleDriver() : twilioDriver(config, log);
}

/** Sends nothing: outside production the answer itself carries the code as `devCode`. */
function consoleDriver(): SmsDriver {
  return { delivers: false, send: async () => {} };
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
