/** Creates one-time codes and sends them. Of the codes that a requester was sent, the newest is valid. */
import { randomInt } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { type Transaction, transaction } from '../../db/transaction.ts';
import { textMessages } from '../../http/metrics.ts';
import { languageOf } from '../../http/request-language.ts';
import { Problem } from '../../lib/errors.ts';
import type { Phone } from '../../lib/phone.ts';
import { secondsToNextUtcDay } from '../../lib/time.ts';
import { type CodePurpose, hashCode, hashPhone } from './code-hashes.ts';
import { countSend, findLastSend, insertCode, lockNumber, subtractSend, withdrawCode } from './codes-repo.ts';
import { findRequester, type Sender, type Trust } from './requesters.ts';
import type { CodeSent } from './schemas.ts';
import { expiryOf, isOverLimit, resendAfterMs, scopesOf } from './send-limits.ts';
import type { AuthServices } from './services.ts';
import { SmsFailure } from './sms-failure.ts';

type CodeServices = Pick<AuthServices, 'config' | 'db' | 'log' | 'sms' | 'clock'>;
type CodeRequest = {
  phone: Phone;
  purpose: CodePurpose;
  sender: Sender;
  /** Its id for the log, and its headers for the language: an account has none that a message could reveal. */
  request: Pick<FastifyRequest, 'id' | 'headers'>;
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
  const code = randomInt(1_000_000).toString().padStart(6, '0');
  const phoneHash = hashPhone(config.secretKey, phone.number);
  const { stored, scopes } = await transaction(db, async (tx) => {
    await lockNumber(tx, phoneHash);
    const { secretKey } = config;
    const requester = await findRequester(tx, { secretKey, now }, phoneHash, request.sender);
    // The limits apply unless the response itself carries the code.
    const counted = showsCode ? null : await count(tx, services, request, requester.trust, now);
    const stored = {
      phoneHash,
      purpose,
      requester,
      codeHash: hashCode(secretKey, phone.number, purpose, code),
      sentAt: now,
      expiresAt: expiryOf(now, counted?.toNumber ?? 0),
    };
    await insertCode(tx, stored);
    await check?.(tx);
    return { stored, scopes: counted?.scopes };
  });
  try {
    await sms.send(phone.number, purpose, code, languageOf(request.request));
    countMessage(services, 'sent');
  } catch (error) {
    if (error instanceof SmsFailure) reportFailure(services, request, error);
    // A message that was certainly not sent does not count. If the outcome is unknown, the message and its
    // code count.
    if (scopes && !(error instanceof SmsFailure && error.mayBeDelivered))
      await transaction(db, async (tx) => {
        await withdrawCode(tx, stored);
        await subtractSend(tx, scopes, now);
      });
    throw error;
  }
  return {
    expiresIn: Math.floor((stored.expiresAt.getTime() - now.getTime()) / 1000),
    resendAfter: scopes ? resendAfterMs / 1000 : 0,
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

function reportFailure(services: CodeServices, { request }: CodeRequest, failure: SmsFailure): void {
  const { reason, logged } = failure;
  countMessage(services, reason);
  const fields = { reqId: request.id, driver: services.config.sms.driver, outcome: reason, ...logged };
  services.log.error(fields, failureTexts[reason]);
}

/**
 * Counts the message. The number is locked: of two concurrent requests, the second sees the first one's code.
 * @returns the scopes that count it, and the texts to the number today
 * @throws Problem `too_many_codes`
 */
async function count(
  tx: Transaction,
  { config }: CodeServices,
  { phone, sender }: CodeRequest,
  trust: Trust,
  now: Date,
): Promise<{ scopes: string[]; toNumber: number }> {
  const last = await findLastSend(tx, hashPhone(config.secretKey, phone.number), trust);
  const waitMs = last ? last.getTime() + resendAfterMs - now.getTime() : 0;
  if (waitMs > 0) throw new Problem('too_many_codes', { retryAfter: Math.ceil(waitMs / 1000) });
  const scopes = scopesOf(config.secretKey, phone, sender.address, trust);
  const sent = await countSend(tx, scopes, now);
  if (isOverLimit(sent, trust, config))
    throw new Problem('too_many_codes', { retryAfter: secondsToNextUtcDay(now) });
  return { scopes: Object.values(scopes), toNumber: sent.number };
}
