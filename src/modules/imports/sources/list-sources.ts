import { defineEndpoint } from '../../../http/define-endpoint.ts';
import type { ImportServices } from '../runs/services.ts';
import { toSources } from './present.ts';
import { SourceList } from './schemas.ts';
import { listSources } from './source-repo.ts';

export const listImportSources = defineEndpoint({
  method: 'GET',
  path: '/v1/sources',
  summary: 'List the calendars that the caller follows',
  description: 'In the order in which they were added. `POST /v1/imports` with `follow` adds one.',
  caller: 'fresh',
  response: { 200: SourceList },

  async handler({ caller }, { db }: ImportServices) {
    return { status: 200, body: { data: await toSources(db, caller.id, await listSources(db, caller.id)) } };
  },
});
