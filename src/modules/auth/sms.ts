/** Drivers for text messages: Twilio, or for development no messages at all. */
import type { FastifyBaseLogger } from 'fastify';
import { textMessages } from '../../http/metrics.ts';
import type { SmsConfig } from '../../lib/config/sms.ts';
import type { Config } from '../../lib/config.ts';
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

type TwilioConfig = Extract<SmsConfig, { driver: 'twilio' }>;

function createTwilioDriver(config: TwilioConfig, publicUrl: string): SmsDriver {
  const sender: [string, string] = config.from.startsWith('MG')
    ? ['MessagingServiceSid', config.from]
    : ['From', config.from];
  return {
    delivers: true,
    async send(phone, purpose, code) {
      const body = messageText(purpose, code, publicUrl);
      await postMessage(config, new URLSearchParams([['To', phone], sender, ['Body', body]]));
    },
  };
}

/** Creates a message (https://www.twilio.com/docs/messaging/api/message-resource). */
async function postMessage(
  { accountSid, authToken, baseUrl }: TwilioConfig,
  form: URLSearchParams,
): Promise<void> {
  const credentials = Buffer.from(`${accountSid}:${authToken}`).toString('base64');
  const url = `${baseUrl ?? 'https://api.twilio.com'}/2010-04-01/Accounts/${accountSid}/Messages.json`;
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}`, accept: 'application/json' },
    body: form,
    // A redirect would send the number and the code to another server.
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error) => {
    throw failureOf(error);
  });
  // The status decides. The body is read so that the connection can be used again.
  const body = (await response.json().catch(() => null)) as { code?: unknown } | null;
  if (response.ok) return;
  throw new SmsFailure('refused', { status: response.status, code: numberOf(body?.code) });
}

/** Twilio's error codes are numbers. A text in their place may contain anything, so it is not logged. */
const numberOf = (code: unknown) => (typeof code === 'number' ? code : undefined);

/** The failure for an error of `fetch`, whose cause is the error of the connection. */
function failureOf(error: Error & { cause?: NodeJS.ErrnoException }): SmsFailure {
  const code = error.name === 'TimeoutError' ? 'ETIMEDOUT' : error.cause?.code;
  return new SmsFailure(reasonOf(`${code}`), { status: undefined, code });
}

function reasonOf(code: string): SmsFailureReason {
  if (connectionErrors.test(code)) return 'unreachable';
  return code === 'ETIMEDOUT' ? 'timeout' : 'lost';
}
