import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { Problem } from '../../../lib/errors.ts';
import { readId } from '../../../lib/ids.ts';
import type { ImportServices } from '../runs/services.ts';
import { toSource } from './present.ts';
import { Source, SourceParams } from './schemas.ts';
import { findSource } from './source-repo.ts';

export const getSource = defineEndpoint({
  method: 'GET',
  path: '/v1/sources/:id',
  summary: 'Get a calendar that the caller follows',
  description: 'Its address, which no other person reads, and what became of the last fetch.',
  caller: 'fresh',
  params: SourceParams,
  response: { 200: Source },
  problems: ['source_not_found'],

  async handler({ caller, params }, { db }: ImportServices) {
    const source = await findSource(db, { userId: caller.id, id: readId(params.id, 'source_not_found') });
    if (!source) throw new Problem('source_not_found');
    return { status: 200, body: await toSource(db, source) };
  },
});
