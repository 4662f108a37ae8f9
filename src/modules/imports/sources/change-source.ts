import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { actAs } from '../../../identity/act-as.ts';
import { Problem } from '../../../lib/errors.ts';
import { readId } from '../../../lib/ids.ts';
import type { ImportServices } from '../runs/services.ts';
import { startSources } from './follow-sources.ts';
import { toSource } from './present.ts';
import { Source, SourceChange, SourceParams } from './schemas.ts';
import { lockSource, makeDue, setAutoPublish } from './source-repo.ts';

export const updateSource = defineEndpoint({
  method: 'PATCH',
  path: '/v1/sources/:id',
  summary: 'Change how a calendar is followed',
  description:
    'With `autoPublish`, what waits in the review is published too, but for what is doubtful and what you have changed there.',
  caller: 'fresh',
  params: SourceParams,
  body: SourceChange,
  response: { 200: Source },
  problems: ['source_not_found'],

  async handler({ caller, params, body: { autoPublish } }, services: ImportServices) {
    const { db, clock } = services;
    const key = { userId: caller.id, id: readId(params.id, 'source_not_found') };
    const source = await actAs(db, caller, async (tx) => {
      const source = await lockSource(tx, key);
      if (!source) throw new Problem('source_not_found');
      if (autoPublish === undefined || autoPublish === source.autoPublish) return source;
      await setAutoPublish(tx, key, autoPublish);
      // What was read is decided anew.
      await makeDue(tx, key, clock());
      return { ...source, autoPublish };
    });
    startSources(services);
    return { status: 200, body: await toSource(db, source) };
  },
});
