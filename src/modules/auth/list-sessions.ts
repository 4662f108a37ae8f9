import { defineEndpoint } from '../../http/define-endpoint.ts';
import { listOf, ref } from '../../http/schemas.ts';
import { toSession } from './present.ts';
import { Session } from './schemas.ts';
import type { AuthServices } from './services.ts';
import { listActiveSessions } from './session-repo.ts';

export const listSessions = defineEndpoint({
  method: 'GET',
  path: '/v1/auth/sessions',
  operationId: 'listSessions',
  tag: 'Sign in',
  summary: 'List the devices that are signed in',
  description:
    'One session for each sign-in, with tokens or in a browser. `isCurrent` marks the session of this request.',
  access: 'required',
  response: { 200: listOf(ref(Session)) },

  async handler({ caller }, { db, clock }: AuthServices) {
    const rows = await listActiveSessions(db, caller.id, clock());
    return { status: 200, body: { data: rows.map((row) => toSession(row, caller.sessionId)) } };
  },
});
