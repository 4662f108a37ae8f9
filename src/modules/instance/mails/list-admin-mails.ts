import { maxId } from '#base';
import { cursorPage, readCursor, toPage } from '../../../http/cursors.ts';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import type { BaseServices } from '../../../http/services.ts';
import { listMails } from '../../../mail/mails.ts';
import { toAdminMail } from './present.ts';
import { AdminMail, MailQuery } from './schemas.ts';

export const listAdminMails = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/mails',
  summary: 'List mails and what became of them',
  description:
    'For admins. The newest mail first. Mails with codes are sent at once, and are not in the list.',
  caller: 'admin',
  query: MailQuery,
  response: { 200: cursorPage(AdminMail) },

  async handler({ query }, { db }: BaseServices) {
    const { state, cursor, limit } = query;
    const [after] = readCursor(cursor, 'id') ?? [maxId];
    const page = toPage(await listMails(db, { state, after, limit: limit + 1 }), limit, ({ id }) => [id]);
    return { status: 200, body: { data: page.rows.map(toAdminMail), nextCursor: page.nextCursor } };
  },
});
