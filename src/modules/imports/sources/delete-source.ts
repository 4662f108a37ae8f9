import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { Success } from '../../../http/schemas.ts';
import { actAs } from '../../../identity/act-as.ts';
import { Problem } from '../../../lib/errors.ts';
import { readId } from '../../../lib/ids.ts';
import type { ImportServices } from '../runs/services.ts';
import { SourceParams } from './schemas.ts';
import { forgetAddress } from './shared-fetches.ts';
import { deleteSourceRow, lockSource } from './source-repo.ts';
import { deleteOpenRuns } from './source-runs.ts';

export const deleteSource = defineEndpoint({
  method: 'DELETE',
  path: '/v1/sources/:id',
  summary: 'Stop following a calendar',
  description: 'Its events stay. What waits for a review is not published.',
  caller: 'fresh',
  params: SourceParams,
  response: { 200: Success },
  problems: ['source_not_found'],

  async handler({ caller, params }, { db }: ImportServices) {
    const key = { userId: caller.id, id: readId(params.id, 'source_not_found') };
    const addressHash = await actAs(db, caller, async (tx) => {
      // A server that reads the source at this moment stores what it has read before, or finds no source.
      const source = await lockSource(tx, key);
      if (!source) throw new Problem('source_not_found');
      await deleteOpenRuns(tx, key);
      await deleteSourceRow(tx, key);
      return source.addressHash;
    });
    await forgetAddress(db, addressHash);
    return { status: 200, body: { success: true as const } };
  },
});
