import { defineModule } from '../../../http/define-module.ts';
import type { BaseServices } from '../../../http/services.ts';
import { listAdminMails } from './list-admin-mails.ts';
import { previewMail } from './preview-mail.ts';
import { sendTestMail } from './send-test-mail.ts';

/** The queue of mails, and how mails look, for admins. */
export const mails = defineModule<BaseServices>({
  tag: 'Administration',
  endpoints: { listAdminMails, previewMail, sendTestMail },
});
