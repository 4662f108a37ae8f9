import { newId } from '#base';
import { baseLanguage } from '../../../../web/src/lib/language/languages.ts';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import type { BaseServices } from '../../../http/services.ts';
import { actAsAdmin } from '../../../identity/act-as-admin.ts';
import { invalid } from '../../../lib/errors.ts';
import { canonicalAddress } from '../../../lib/mail-address.ts';
import { MailFailure } from '../../../mail/mailer.ts';
import { insertMails } from '../../../mail/mails.ts';
import { QueuedMailId, TestMail } from './schemas.ts';

export const sendTestMail = defineEndpoint({
  method: 'POST',
  path: '/v1/admin/mails/test',
  summary: 'Send a test mail',
  description: 'For admins. The list of mails shows what became of it, with the words of the mail server.',
  caller: 'admin',
  body: TestMail,
  response: { 202: QueuedMailId },
  problems: ['mail_unavailable'],

  async handler({ caller, body }, { db, clock, mailer }: BaseServices) {
    const { language = baseLanguage } = body;
    const address = canonicalAddress(body.address);
    if (address === null) throw invalid('address', 'must be an e-mail address');
    if (!mailer.isOn) throw new MailFailure('off');
    const mail = { userId: caller.id, id: newId(), kind: 'test', subjectId: caller.id } as const;
    await actAsAdmin(db, caller, async (tx) => {
      const sourceId = caller.id;
      await tx.execute(await insertMails(tx, [{ ...mail, sourceId, address, language }], clock()));
    });
    return { status: 202, body: { id: mail.id } };
  },
});
