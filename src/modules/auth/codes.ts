/** One-time codes: six digits for a phone and a purpose. The newest counts, for five minutes, once. */
import { randomInt, timingSafeEqual } from 'node:crypto';
import type { CountryCode } from 'libphonenumber-js';
import { recordAudit } from '../../audit/audit.ts';
import type { Database } from '../../db/client.ts';
import type { Transaction } from '../../db/transaction.ts';
import { transaction } from '../../db/transaction.ts';
import type { Config } from '../../lib/config.ts';
import { Problem } from '../../lib/errors.ts';
import { networkOf } from '../../lib/ip-address.ts';
import { keyedHash } from '../../lib/keyed-hash.ts';
import { dayMs } from '../../lib/time.ts';
import {
  countSends,
  findCodeForUpdate,
  insertCode,
  lastSentAt,
  type SendCap,
  updateTries,
  useCode,
  withdrawCode,
} from './repo.ts';
import { type SmsDriver, Unanswered } from './sms.ts';

export type Purpose = 'sign_in' | 'delete_account';

export const codeLifetimeMs = 5 * 60_000;
const triesWindowMs = 15 * 60_000;
const maxTries = 5;
const resendAfterMs = 60_000;
/** Messages a day: what one number, one caller's address, one block of numbers and one country may cause. */
const sendCaps = { number: 10, address: 50, prefix: 100, country: 1_000 } as const;

export type Phone = { number: string; country: CountryCode | undefined };
export type CodeDeps = {
  config: Config & { secretKey: string };
  db: Database;
  sms: SmsDriver;
  clock: () => Date;
};
/** `expiresIn` and `resendAfter` in seconds. `devCode`: only with `config.devCodes` and a driver that sends no messages. */
export type CodeSent = { expiresIn: number; resendAfter: number; devCode?: string };

/** A keyed hash: the tables of codes hold no phone, and nobody without the key can try numbers against them. */

export const hashPhone = (key: string, phone: string): Buffer => keyedHash(key, 'phone', phone);

const codeHash = (key: string, phone: string, purpose: Purpose, code: string) =>
  keyedHash(key, 'code', `${purpose}\0${phone}\0${code}`);

/**
 * Makes a new code and sends it. What it does and answers is the same whether or not the number has an account.
 * @param address where the request came from
 * @param check ends the transaction that stores the code by throwing; it runs once the code's row is locked
 * @throws Problem `too_many_codes`, `sms_unavailable`
 */
export async function sendCode(
  deps: CodeDeps,
  phone: Phone,
  purpose: Purpose,
  address: string,
  check?: (tx: Transaction) => Promise<void>,
): Promise<CodeSent> {
  const { config, db, sms, clock } = deps;
  const now = clock();
  const showsCode = config.devCodes && !sms.delivers;
  // The limits on sending hold wherever the response does not carry the code.
  const limited = !showsCode;
  const code = randomInt(1_000_000).toString().padStart(6, '0');
  const phoneHash = hashPhone(config.secretKey, phone.number);
  const caps = sendCapsOf(deps, phone, address);
  await transaction(db, async (tx) => {
    if (limited) {
      // The row of the number is locked first, so that two requests at once cannot both find a minute gone by.
      const last = await lastSentAt(tx, phoneHash, now);
      const wait = last ? last.getTime() + resendAfterMs - now.getTime() : 0;
      if (wait > 0) throw new Problem('too_many_codes', { retryAfter: Math.ceil(wait / 1000) });
      if ((await countSends(tx, caps, now)) < caps.length)
        throw new Problem('too_many_codes', untilMidnight(now));
    }
    await insertCode(tx, {
      phoneHash,
      purpose,
      codeHash: codeHash(config.secretKey, phone.number, purpose, code),
      sentAt: now,
      expiresAt: new Date(now.getTime() + codeLifetimeMs),
    });
    await check?.(tx);
  });
  try {
    await sms.send(phone.number, purpose, code);
  } catch (error) {
    // Nobody may be kept from trying again by a message that never left. One that may have left counts, and its code too.
    if (limited && !(error instanceof Unanswered))
      await transaction(db, (tx) => withdrawCode(tx, phoneHash, purpose, caps, now));
    throw error;
  }
  return {
    expiresIn: codeLifetimeMs / 1000,
    resendAfter: limited ? resendAfterMs / 1000 : 0,
    ...(showsCode && { devCode: code }),
  };
}

/** What a message counts against, and the most that each may reach in a day; sorted, as they are locked in this order. */
function sendCapsOf({ config }: CodeDeps, phone: Phone, address: string): SendCap[] {
  const key = config.secretKey;
  return [
    [`address:${keyedHash(key, 'address', networkOf(address)).toString('base64url')}`, sendCaps.address],
    [`country:${phone.country ?? 'none'}`, sendCaps.country],
    ['everybody', config.smsPerDay],
    [`number:${hashPhone(key, phone.number).toString('base64url')}`, sendCaps.number],
    [`prefix:${phone.number.slice(0, -4)}`, sendCaps.prefix],
  ];
}

const untilMidnight = (now: Date) => ({ retryAfter: Math.ceil((dayMs - (now.getTime() % dayMs)) / 1000) });

/**
 * Uses up the code when it is right, and gives the refusal when it is not: the caller must let the transaction
 * commit before throwing it, or the try would not count. A try is counted before another code is compared, under a
 * lock on the number's row: of fifty guesses at once five are compared, of fifty right ones at once one succeeds.
 * @returns null, or a Problem `wrong_code` or `too_many_tries`
 */
export async function checkCode(
  tx: Transaction,
  deps: Pick<CodeDeps, 'config'> & { now: Date; address: string },
  phone: string,
  purpose: Purpose,
  code: string,
  path = 'code',
): Promise<Problem | null> {
  const key = deps.config.secretKey;
  const { now, address } = deps;
  const phoneHash = hashPhone(key, phone);
  const wrong = new Problem('wrong_code', { errors: [{ path, message: 'is wrong or has expired' }] });
  const row = await findCodeForUpdate(tx, phoneHash, purpose);
  if (!row) return wrong;
  const tries = row.tries.filter((at) => at.getTime() > now.getTime() - triesWindowMs);
  const [oldest] = tries;
  if (oldest && tries.length >= maxTries) {
    const wait = oldest.getTime() + triesWindowMs - now.getTime();
    return new Problem('too_many_tries', { retryAfter: Math.ceil(wait / 1000) });
  }
  const expected = row.expiresAt > now ? row.codeHash : null;
  if (expected && timingSafeEqual(expected, codeHash(key, phone, purpose, code))) {
    await useCode(tx, phoneHash, purpose);
    return null;
  }
  await updateTries(tx, phoneHash, purpose, [...tries, now]);
  if (tries.length + 1 === maxTries) {
    const what = purpose === 'sign_in' ? 'sign_in_locked' : 'deletion_locked';
    await recordAudit(tx, { secretKey: key, now, address }, { phone }, what);
  }
  return wrong;
}
