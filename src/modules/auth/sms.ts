/** Drivers for text messages: Twilio, or for development no messages at all. */
import type { FastifyBaseLogger } from 'fastify';
import type { RequestClient, Twilio } from 'twilio';
import { textMessages } from '../../http/metrics.ts';
import type { Config, SmsConfig } from '../../lib/config.ts';
import { Problem } from '../../lib/errors.ts';
import type { CodePurpose } from './code-hashes.ts';

export type SmsDriver = {
  /** Whether messages leave this machine. They then cost money, and the limits on sending apply. */
  delivers: boolean;
  /** @throws SmsFailure */
  send(phone: string, purpose: CodePurpose, code: string): Promise<void>;
};

/**
 * Why the service did not confirm a message. After `timeout` and `lost`, which is a connection that closed before the
 * response, the message may still be delivered.
 */
export const smsFailures = ['refused', 'unreachable', 'timeout', 'lost'] as const;
type SmsFailureReason = (typeof smsFailures)[number];

/** The service did not confirm a message: a problem `sms_unavailable`. */
export class SmsFailure extends Problem {
  readonly reason: SmsFailureReason;
  /** The only fields of the service's error that may be logged: its text contains the phone number and the message. */
  readonly logged: { status: number | undefined; code: unknown };

  constructor(reason: SmsFailureReason, logged: SmsFailure['logged']) {
    super('sms_unavailable', { retryAfter: 60 });
    this.reason = reason;
    this.logged = logged;
  }

  get mayBeDelivered(): boolean {
    return this.reason === 'timeout' || this.reason === 'lost';
  }
}

const texts: Record<CodePurpose, (code: string) => string> = {
  sign_in: (code) => `${code} is your Potluck code. Potluck staff will never ask you for it.`,
  delete_account: (code) => `${code} permanently deletes your Potluck account and all of its data.`,
};

/** In characters. A longer message is sent, and paid, as two. */
const maxLength = 160;

/**
 * The text of a message. Its last line binds the code to the host of the pages, so phones enter it there, and on no
 * page of another site (the format of origin-bound one-time codes). The format implies https and its default port.
 */
export function messageText(purpose: CodePurpose, code: string, publicUrl: string): string {
  const text = texts[purpose](code);
  const { protocol, host, port } = new URL(publicUrl);
  const bound = `${text}\n\n@${host} #${code}`;
  return protocol === 'https:' && port === '' && bound.length <= maxLength ? bound : text;
}

/** Creates the driver of the configuration. */
export function createSmsDriver(
  { sms, devCodes, publicUrl }: Pick<Config, 'sms' | 'devCodes' | 'publicUrl'>,
  log: FastifyBaseLogger,
): SmsDriver {
  if (sms.driver === 'twilio') {
    // A series that exists before the first failure shows the failure as an increase.
    for (const outcome of ['sent', ...smsFailures]) textMessages.inc({ driver: 'twilio', outcome }, 0);
    return createTwilioDriver(sms, publicUrl);
  }
  return devCodes ? silentDriver : createLogDriver(log);
}

/** Sends nothing: the response carries the code as `devCode`. */
const silentDriver: SmsDriver = { delivers: false, send: async () => {} };

/** Writes the code to the log, for servers whose responses carry no code. The operator passes it on. */
function createLogDriver(log: FastifyBaseLogger): SmsDriver {
  return {
    delivers: false,
    send: async (phone, purpose, code) =>
      log.warn({ number: `…${phone.slice(-3)}`, purpose, code }, 'one-time code; no message was sent'),
  };
}

/** Shorter than the timeout of a request, so that the response names the reason. */
const timeoutMs = 4_000;
/** The codes of errors that occur before a connection exists. */
const connectionErrors = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;
/** The codes of Twilio's HTTP client and of the system when time is up. */
const timeouts = /^(ECONNABORTED|ETIMEDOUT)$/;

function reasonOf(status: number | undefined, code: string): SmsFailureReason {
  if (status !== undefined) return 'refused';
  if (connectionErrors.test(code)) return 'unreachable';
  return timeouts.test(code) ? 'timeout' : 'lost';
}

type TwilioConfig = Extract<SmsConfig, { driver: 'twilio' }>;

function createTwilioDriver(config: TwilioConfig, publicUrl: string): SmsDriver {
  const loading = createTwilioClient(config);
  const sender = config.from.startsWith('MG') ? { messagingServiceSid: config.from } : { from: config.from };
  return {
    delivers: true,
    async send(phone, purpose, code) {
      const client = await loading;
      try {
        await client.messages.create({ ...sender, to: phone, body: messageText(purpose, code, publicUrl) });
      } catch (error) {
        const { status, code } = error as { status?: number; code?: unknown };
        throw new SmsFailure(reasonOf(status, `${code}`), { status, code });
      }
    },
  };
}

/** Loads Twilio's library, which takes time and memory that a server without this driver saves. */
async function createTwilioClient({ accountSid, authToken, baseUrl }: TwilioConfig): Promise<Twilio> {
  const { default: twilio } = await import('twilio');
  return twilio(accountSid, authToken, {
    timeout: timeoutMs,
    ...(baseUrl && { httpClient: redirect(new twilio.RequestClient({ timeout: timeoutMs }), baseUrl) }),
  });
}

/** Sends the requests of Twilio's HTTP client to another host: a regional proxy, or the stub of the tests. */
function redirect(client: RequestClient, baseUrl: string): RequestClient {
  const request = client.request.bind(client);
  client.request = (options) => {
    const { pathname, search } = new URL(options.uri);
    return request({ ...options, uri: `${baseUrl}${pathname}${search}` });
  };
  return client;
}
