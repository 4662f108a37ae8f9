/** Tells a contact that a contact of the account was changed. */
import type { FastifyRequest } from 'fastify';
import type { Transaction } from '../../db/transaction.ts';
import { languageOf } from '../../http/request-language.ts';
import type { Contact } from '../../lib/contact.ts';
import { newId } from '../../lib/ids.ts';
import { insertMails } from '../../mail/mails.ts';
import { countText, type DeliveryServices } from './deliver-code.ts';
import { SmsFailure } from './sms-failure.ts';

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

/** Sends the text message after the change. The change is made, so a failure is logged and not the person's. */
export async function textOfChange(
  services: DeliveryServices,
  request: FastifyRequest,
  told: Contact,
): Promise<void> {
  if (told.kind !== 'phone') return;
  try {
    await services.sms.tellOfChange(told.value, languageOf(request));
    countText(services, 'sent');
  } catch (error) {
    if (!(error instanceof SmsFailure)) throw error;
    countText(services, error.reason);
    const fields = { reqId: request.id, outcome: error.reason, ...error.logged };
    services.log.error(fields, 'a number was not told of the change of its account');
  }
}
