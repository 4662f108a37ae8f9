import type { Static } from 'typebox';
import { sql } from '#pg';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { listOf } from '../../../http/schemas.ts';
import type { AccountServices } from '../services.ts';
import { Session } from './schemas.ts';

type SessionRow = Omit<Static<typeof Session>, 'isCurrent'>;

export const listSessions = defineEndpoint({
  method: 'GET',
  path: '/v1/auth/sessions',
  summary: 'List the devices that are signed in',
  description:
    'One session for each sign-in, with tokens or in a browser. `isCurrent` marks the session of this request.',
  caller: 'fresh',
  response: { 200: listOf(Session) },

  async handler({ caller }, { db, clock }: AccountServices) {
    const rows = await db.query<SessionRow>(sql`
      select id, user_agent, created_at, refreshed_at, refresh_expires_at as expires_at from sessions
      where user_id = ${caller.id} and refresh_expires_at > ${clock()}
      order by refreshed_at desc, id`);
    const data = rows.map((row) => ({ ...row, isCurrent: row.id === caller.sessionId }));
    return { status: 200, body: { data } };
  },
});
