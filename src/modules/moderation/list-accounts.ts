import { cursorPage, readCursor, toPage } from '../../http/cursors.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { BaseServices } from '../../http/services.ts';
import { readAddress, readNumber } from '../../lib/contact.ts';
import { toAdminUser } from './present.ts';
import { listUsers } from './repo.ts';
import { AdminUser, AdminUserQuery } from './schemas.ts';

export const listAccounts = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/users',
  summary: 'List accounts',
  description: 'For admins. The newest account first.',
  caller: 'admin',
  query: AdminUserQuery,
  response: { 200: cursorPage(AdminUser) },

  async handler({ query }, { db, config }: BaseServices) {
    const { q, phone, email, suspended, cursor, limit } = query;
    const after = readCursor(cursor, 'time', 'id');
    const number = phone === undefined ? undefined : readNumber(restorePlus(phone), config.defaultCountry);
    const address = email === undefined ? undefined : readAddress(email);
    const contacts = [number, address].filter((contact) => contact !== undefined);
    const rows = await listUsers(db, { q, contacts, suspended }, after, limit + 1);
    const page = toPage(rows, limit, ({ createdAt, id }) => [createdAt, id]);
    const data = page.rows.map((row) => toAdminUser(row, config.publicUrl));
    return { status: 200, body: { data, nextCursor: page.nextCursor } };
  },
});

/** Replaces leading spaces by `+`: a query string decodes an unescaped `+` as a space. */
const restorePlus = (phone: string): string => phone.replace(/^ +(?=\d)/, '+');
