/** Tells a contact that a contact of the account was changed. */
import type { FastifyRequest } from 'fastify';
import { type Transaction, transaction } from '../../db/transaction.ts';
import { languageOf } from '../../http/request-language.ts';
import type { Contact } from '../../lib/contact.ts';
import { newId } from '../../lib/ids.ts';
import { insertMails } from '../../mail/mails.ts';
import { countSend } from './codes-repo.ts';
import { countText, type DeliveryServices } from './deliver-code.ts';
import { isOverLimit, scopesOf } from './send-limits.ts';
import type { AuthServices } from './services.ts';
import { SmsFailure } from './sms-failure.ts';

type TellingServices = DeliveryServices & Pick<AuthServices, 'db' | 'clock'>;

/** Stores the mail in the transaction of the change. A text message has no queue: `textOfChange` sends it. */
export async function storeMailOfChange(
  tx: Transaction,
  { mailer }: DeliveryServices,
  request: FastifyRequest,
  { userId, told, now }: { userId: string; told: Contact; now: Date },
): Promise<void> {
  if (told.kind !== 'email' || !mailer.isOn) return;
  const mail = { userId, id: newId(), kind: 'contact_changed', subjectId: userId, sourceId: userId } as const;
  await tx.execute(
    await insertMails(tx, [{ ...mail, address: told.value, language: languageOf(request) }], now),
  );
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
  if (services.sms.delivers && !(await allowText(services, request, told)))
    return services.log.error({ reqId: request.id, outcome: 'limit' }, notTold);
  try {
    await services.sms.tellOfChange(told.value, languageOf(request));
    countText(services, 'sent');
  } catch (error) {
    if (!(error instanceof SmsFailure)) throw error;
    countText(services, error.reason);
    const fields = { reqId: request.id, outcome: error.reason, ...error.logged };
    services.log.error(fields, notTold);
  }
}

const notTold = 'a number was not told of the change of its account';

/** @returns false above a limit; the message then does not count */
async function allowText({ db, config, clock }: TellingServices, { ip }: FastifyRequest, told: Contact) {
  const scopes = scopesOf(config.secretKey, told, ip, 'network');
  try {
    await transaction(db, async (tx) => {
      if (isOverLimit(await countSend(tx, scopes, clock()), 'network', config)) throw new OverLimit();
    });
    return true;
  } catch (error) {
    if (error instanceof OverLimit) return false;
    throw error;
  }
}

/** Rolls the count back. */
class OverLimit extends Error {}
