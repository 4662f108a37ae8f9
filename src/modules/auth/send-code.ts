/** Creates one-time codes and sends them. Only the newest code of a number and purpose is valid. */
import { randomInt } from 'node:crypto';
import { type Transaction, transaction } from '../../db/transaction.ts';
import { textMessages } from '../../http/metrics.ts';
import { Problem } from '../../lib/errors.ts';
import { networkOf } from '../../lib/ip-address.ts';
import { keyedHash } from '../../lib/keyed-hash.ts';
import type { Phone } from '../../lib/phone.ts';
import { dayMs } from '../../lib/time.ts';
import { type CodePurpose, hashCode, hashPhone, numberScope } from './code-hashes.ts';
import { countSends, findLastSend, insertCode, type SendLimit, withdrawCode } from './codes-repo.ts';
import type { AuthServices } from './services.ts';
import { SmsFailure } from './sms.ts';

const codeLifetimeMs = 5 * 60_000;
const resendAfterMs = 60_000;
/** Messages per day to one number, from one network, to one block of numbers and to one country. */
const dailyLimits = { number: 10, address: 50, prefix: 100, country: 1_000 } as const;

/**
 * `expiresIn` and `resendAfter` in seconds. `devCode`: only with `config.devCodes` and a driver that sends no
 * messages.
 */
type CodeSent = { expiresIn: number; resendAfter: number; devCode?: string };

type CodeServices = Pick<AuthServices, 'config' | 'db' | 'log' | 'sms' | 'clock'>;
type CodeRequest = {
  phone: Phone;
  purpose: CodePurpose;
  /** The IP address of the client. */
  address: string;
  /** The id of the HTTP request, for the log. */
  requestId: string;
  /** Runs in the transaction that stores the code, after the code's row is locked; it aborts by throwing. */
  check?: (tx: Transaction) => Promise<void>;
};

/**
 * Creates a code, stores its hash and sends it. The work and the result do not reveal whether the number has
 * an account.
 * @throws Problem `too_many_codes`, `sms_unavailable`, and whatever `check` throws
 */
export async function sendCode(services: CodeServices, request: CodeRequest): Promise<CodeSent> {
  const { config, db, sms, clock } = services;
  const { phone, purpose, check } = request;
  const now = clock();
  const showsCode = config.devCodes && !sms.delivers;
  // The limits apply unless the response itself carries the code.
  const limits = showsCode ? null : limitsOf(services, request);
  const code = randomInt(1_000_000).toString().padStart(6, '0');
  const phoneHash = hashPhone(config.secretKey, phone.number);
  await transaction(db, async (tx) => {
    if (limits) await checkLimits(tx, phoneHash, limits, now);
    await insertCode(tx, {
      phoneHash,
      purpose,
      codeHash: hashCode(config.secretKey, phone.number, purpose, code),
      sentAt: now,
      expiresAt: new Date(now.getTime() + codeLifetimeMs),
    });
    await check?.(tx);
  });
  try {
    await sms.send(phone.number, purpose, code);
    countMessage(services, 'sent');
  } catch (error) {
    if (error instanceof SmsFailure) reportFailure(services, request, error);
    // A message that was certainly not sent does not count. If the outcome is unknown, the message and its
    // code count.
    if (limits && !(error instanceof SmsFailure && error.mayBeDelivered))
      await transaction(db, (tx) => withdrawCode(tx, phoneHash, purpose, limits, now));
    throw error;
  }
  return {
    expiresIn: codeLifetimeMs / 1000,
    resendAfter: limits ? resendAfterMs / 1000 : 0,
    ...(showsCode && { devCode: code }),
  };
}

/** Drivers that deliver nothing have no messages to count. */
function countMessage({ config, sms }: CodeServices, outcome: 'sent' | SmsFailure['reason']): void {
  if (sms.delivers) textMessages.inc({ driver: config.sms.driver, outcome });
}

const failureTexts: Record<SmsFailure['reason'], string> = {
  refused: 'the SMS service refused a message',
  unreachable: 'the SMS service cannot be reached',
  timeout: 'the SMS service did not respond in time; the message may have been sent',
  lost: 'the connection to the SMS service closed before a response; the message may have been sent',
};

function reportFailure(services: CodeServices, { requestId }: CodeRequest, failure: SmsFailure): void {
  const { reason, logged } = failure;
  countMessage(services, reason);
  const fields = { reqId: requestId, driver: services.config.sms.driver, outcome: reason, ...logged };
  services.log.error(fields, failureTexts[reason]);
}

/**
 * Locks the number's rows first: of two concurrent requests, the second sees the first one's code.
 * @throws Problem `too_many_codes`
 */
async function checkLimits(
  tx: Transaction,
  phoneHash: Buffer,
  limits: SendLimit[],
  now: Date,
): Promise<void> {
  const last = await findLastSend(tx, phoneHash, now);
  const waitMs = last ? last.getTime() + resendAfterMs - now.getTime() : 0;
  if (waitMs > 0) throw new Problem('too_many_codes', { retryAfter: Math.ceil(waitMs / 1000) });
  if ((await countSends(tx, limits, now)) < limits.length) {
    const msToMidnight = dayMs - (now.getTime() % dayMs);
    throw new Problem('too_many_codes', { retryAfter: Math.ceil(msToMidnight / 1000) });
  }
}

/**
 * The daily limits that a message counts against, sorted by scope: the order in which their rows are locked.
 */
function limitsOf({ config }: CodeServices, { phone, address }: CodeRequest): SendLimit[] {
  const key = config.secretKey;
  const network = keyedHash(key, 'address', networkOf(address)).toString('base64url');
  return [
    [`address:${network}`, dailyLimits.address],
    [`country:${phone.country ?? 'none'}`, dailyLimits.country],
    ['everybody', config.smsPerDay],
    [numberScope(hashPhone(key, phone.number)), dailyLimits.number],
    [`prefix:${phone.number.slice(0, -4)}`, dailyLimits.prefix],
  ];
}
