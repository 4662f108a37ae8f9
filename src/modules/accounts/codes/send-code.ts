/** Creates one-time codes and sends them. Of the codes that a requester was sent, the newest is valid. */
import { randomInt } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { type Transaction, transaction } from '#pg';
import { languageOf } from '../../../http/request-language.ts';
import { type Contact, canReceive } from '../../../lib/contact.ts';
import { Problem } from '../../../lib/errors.ts';
import type { AccountServices } from '../services.ts';
import { lockContacts } from './contact-locks.ts';
import { countMessage } from './count-message.ts';
import { deliverCode, delivers, isFailure } from './deliver-code.ts';
import { type CodeUse, hashCode, hashContact } from './hashes.ts';
import { type LinkParameters, linkOf } from './links.ts';
import { findLastSend, insertCode, type NewCode, subtractSend, withdrawCode } from './repo.ts';
import { findRequester, type Sender, type Trust } from './requesters.ts';
import type { CodeSent } from './schemas.ts';
import { expiryOf, resendAfterMs } from './send-limits.ts';

type CodeServices = Pick<AccountServices, 'config' | 'db' | 'log' | 'sms' | 'mailer' | 'clock' | 'instance'>;
type CodeRequest = CodeUse & {
  contact: Contact;
  sender: Sender;
  request: Pick<FastifyRequest, 'id' | 'headers'>;
  /** Of the link of a mail. */
  parameters?: LinkParameters;
  /** Runs in the transaction that stores the code, after the code's row is locked; it aborts by throwing. */
  check?: (tx: Transaction) => Promise<void>;
};

/**
 * Creates a code, stores its hash and sends it. The work and the result do not reveal whether the contact has
 * an account.
 * @throws Problem `too_many_codes`, `sms_unavailable`, `mail_unavailable`, and the errors of `check`
 */
export async function sendCode(services: CodeServices, request: CodeRequest): Promise<CodeSent> {
  const { config, clock } = services;
  const { contact, purpose, eventId, parameters } = request;
  const now = clock();
  const isIdentity = !canReceive(contact);
  const showsCode = isIdentity || (config.devCodes && !delivers(services, contact));
  const code = randomInt(1_000_000).toString().padStart(6, '0');
  const { stored, scopes } = await storeCode(services, request, { code, now, isCounted: !showsCode });
  const link =
    contact.kind === 'email' && (purpose === 'sign_in' || eventId !== undefined)
      ? linkOf(
          config,
          {
            contact: { kind: 'email', value: contact.value },
            code,
            requester: stored.requester.id.toString('base64url'),
            ...(eventId !== undefined && { eventId }),
          },
          parameters,
        )
      : null;
  try {
    const { id: requestId } = request.request;
    const language = await languageOf(services, request.request);
    const { trust } = stored.requester;
    await deliverCode(services, { contact, purpose, code, link, language, trust, requestId });
  } catch (error) {
    // A message that was certainly not sent does not count. If the outcome is unknown, the message and its
    // code count.
    if (scopes && !(isFailure(error) && error.mayBeDelivered))
      await transaction(services.db, async (tx) => {
        await withdrawCode(tx, stored);
        await subtractSend(tx, scopes, now);
      });
    throw error;
  }
  return {
    expiresIn: Math.floor((stored.expiresAt.getTime() - now.getTime()) / 1000),
    resendAfter: scopes ? resendAfterMs / 1000 : 0,
    ...(showsCode && (isIdentity ? { code } : { devCode: code })),
    ...(showsCode && link && { devLink: link }),
  };
}

/** @returns the code, and the scopes that count its message; no scopes if none does */
function storeCode(
  services: CodeServices,
  request: CodeRequest,
  { code, now, isCounted }: { code: string; now: Date; isCounted: boolean },
): Promise<{ stored: NewCode; scopes: string[] | undefined }> {
  const { secretKey } = services.config;
  const { contact, purpose, eventId, sender, check } = request;
  const contactHash = hashContact(secretKey, contact);
  return transaction(services.db, async (tx) => {
    await lockContacts(tx, [contactHash]);
    const requester = await findRequester(tx, { secretKey, now }, contactHash, sender, request);
    // The limits apply unless the response itself carries the code.
    const counted = isCounted ? await count(tx, services, request, requester.trust, now) : null;
    const stored = {
      contactHash,
      purpose,
      ...(eventId !== undefined && { eventId }),
      requester,
      codeHash: hashCode(secretKey, contact, request, code),
      sentAt: now,
      expiresAt: expiryOf(now, counted?.toContact ?? 0),
    };
    await insertCode(tx, stored);
    await check?.(tx);
    return { stored, scopes: counted?.scopes };
  });
}

/**
 * Counts the message. The contact is locked: of two concurrent requests, the second sees the first one's code.
 * @returns the scopes that count it, and the messages to the contact today
 * @throws Problem `too_many_codes`
 */
async function count(
  tx: Transaction,
  { config }: CodeServices,
  { contact, sender }: CodeRequest,
  trust: Trust,
  now: Date,
): Promise<{ scopes: string[]; toContact: number }> {
  const last = await findLastSend(tx, hashContact(config.secretKey, contact), trust);
  const waitMs = last ? last.getTime() + resendAfterMs - now.getTime() : 0;
  if (waitMs > 0) throw new Problem('too_many_codes', { retryAfter: Math.ceil(waitMs / 1000) });
  const { address } = sender;
  return countMessage(tx, config, { contact, address, trust, now });
}
