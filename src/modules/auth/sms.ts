/** Text messages: sent through Twilio in earnest, not at all where Potluck is tried out. */
import type { FastifyBaseLogger } from 'fastify';
import twilio from 'twilio';
import type { Config, SmsConfig } from '../../lib/config.ts';
import { Problem } from '../../lib/errors.ts';
import type { Purpose } from './codes.ts';

export type SmsDriver = {
  /** True when a message leaves this machine: then it costs money, and the limits on sending hold. */
  delivers: boolean;
  /** @throws Problem `sms_unavailable`; Unanswered when the message may be on its way all the same */
  send(phone: string, purpose: Purpose, code: string): Promise<void>;
};

/** The service took the message and never said what became of it. */
export class Unanswered extends Problem {
  constructor() {
    super('sms_unavailable', { retryAfter: 60 });
  }
}

const texts: Record<Purpose, (code: string) => string> = {
  sign_in: (code) => `${code} is your Potluck code. Nobody from Potluck will ever ask you for it.`,
  delete_account: (code) => `${code} deletes your Potluck account and everything in it, for good.`,
};

export function smsDriver(
  { sms, devCodes }: Pick<Config, 'sms' | 'devCodes'>,
  log: FastifyBaseLogger,
): SmsDriver {
  if (sms.driver === 'twilio') return twilioDriver(sms, log);
  return devCodes ? silentDriver : logDriver(log);
}

/** The answer itself carries the code, as `devCode`. */
const silentDriver: SmsDriver = { delivers: false, send: async () => {} };

/** Where no response carries the code, the operator reads it in the log and passes it on. */
function logDriver(log: FastifyBaseLogger): SmsDriver {
  return {
    delivers: false,
    send: async (phone, purpose, code) =>
      log.warn({ number: `…${phone.slice(-3)}`, purpose, code }, 'a code to hand on'),
  };
}

/** Shorter than a handler may take, so that the answer names the reason. */
const answerMs = 4_000;
/** Nobody was reached at all. */
const neverLeft = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

function twilioDriver(config: Extract<SmsConfig, { driver: 'twilio' }>, log: FastifyBaseLogger): SmsDriver {
  const client = twilio(config.accountSid, config.authToken, {
    timeout: answerMs,
    ...(config.baseUrl && { httpClient: redirectedClient(config.baseUrl) }),
  });
  const sender = config.from.startsWith('MG') ? { messagingServiceSid: config.from } : { from: config.from };
  return {
    delivers: true,
    async send(phone, purpose, code) {
      try {
        await client.messages.create({ ...sender, to: phone, body: texts[purpose](code) });
      } catch (error) {
        const { status, code } = error as { status?: number; code?: unknown };
        // Nothing else of it: Twilio's error repeats the phone and the text.
        log.error({ status, code }, 'Twilio did not take a message');
        if (status === undefined && !neverLeft.test(`${code}`)) throw new Unanswered();
        throw new Problem('sms_unavailable', { retryAfter: 60 });
      }
    },
  };
}

/** Twilio's own HTTP client, pointed at another host: a regional proxy, or the stub of the tests. */
function redirectedClient(baseUrl: string): twilio.RequestClient {
  const client = new twilio.RequestClient({ timeout: answerMs });
  const request = client.request.bind(client);
  client.request = (options) => {
    const { pathname, search } = new URL(options.uri);
    return request({ ...options, uri: `${baseUrl}${pathname}${search}` });
  };
  return client;
}
