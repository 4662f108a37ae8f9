/** Tells a contact that a contact of the account was changed. */
import type { FastifyRequest } from 'fastify';
import { newId } from '#base';
import { type Transaction, transaction } from '#pg';
import { languageOf } from '../../../http/request-language.ts';
import type { Contact } from '../../../lib/contact.ts';
import { Problem } from '../../../lib/errors.ts';
import { insertMails } from '../../../mail/mails.ts';
import { countMessage } from '../codes/count-message.ts';
import { countText, type DeliveryServices } from '../codes/deliver-code.ts';
import type { AccountServices } from '../services.ts';
import { SmsFailure } from '../sms/failure.ts';

type TellingServices = DeliveryServices & Pick<AccountServices, 'db' | 'clock' | 'instance'>;

/** Stores the mail in the transaction of the change. A text message has no queue: `textOfChange` sends it. */
export async function storeMailOfChange(
  tx: Transaction,
  { mailer, instance }: Pick<TellingServices, 'mailer' | 'instance'>,
  request: FastifyRequest,
  { userId, told, now }: { userId: string; told: Contact; now: Date },
): Promise<void> {
  if (told.kind !== 'email' || !mailer.isOn) return;
  const mail = { userId, id: newId(), kind: 'contact_changed', subjectId: userId, sourceId: userId } as const;
  const language = await languageOf({ instance }, request);
  await tx.execute(await insertMails(tx, [{ ...mail, address: told.value, language }], now));
}

/**
 * Sends the text message after the change, within the limits of texts with codes: an account can be changed again and again.
 * The change is made, so a refusal or a failure is logged and not the person's.
 */
export async function textOfChange(
  services: TellingServices,
  request: FastifyRequest,
  told: Contact,
): Promise<void> {
  if (told.kind !== 'phone') return;
  const { db, config, clock, sms, log } = services;
  const message = { contact: told, address: request.ip, trust: 'network', now: clock() } as const;
  try {
    if (sms.delivers) await transaction(db, (tx) => countMessage(tx, config, message));
    await sms.tellOfChange(told.value, await languageOf(services, request));
    countText(services, 'sent');
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const isFailure = error instanceof SmsFailure;
    if (!isFailure && error.code !== 'too_many_codes') throw error;
    if (isFailure) countText(services, error.reason);
    const fields = isFailure ? { outcome: error.reason, ...error.logged } : { outcome: 'limit' };
    log.error({ reqId: request.id, ...fields }, 'a number was not told of the change of its account');
  }
}
