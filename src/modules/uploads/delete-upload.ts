import { defineEndpoint } from '../../http/define-endpoint.ts';
import { Success } from '../../http/schemas.ts';
import { actAs } from '../../identity/act-as.ts';
import { readId } from '../../lib/ids.ts';
import { deleteUpload as deleteRow } from './repo.ts';
import { UploadParams } from './schemas.ts';
import type { UploadServices } from './services.ts';
import { tryRemoveFiles } from './sweep.ts';

export const deleteUpload = defineEndpoint({
  method: 'DELETE',
  path: '/v1/uploads/:id',
  summary: 'Delete an image',
  description:
    'For its owner and admins. If the image is an avatar, the generated avatar takes its place. Events and items keep ' +
    'its address, which becomes a 404.',
  caller: 'fresh',
  params: UploadParams,
  response: { 200: Success },
  problems: ['upload_not_found', 'not_owner'],
  // Allows for a slow bucket.
  limits: { timeoutMs: 30_000 },

  async handler({ caller, params }, services: UploadServices) {
    const { db, clock } = services;
    const id = readId(params.id, 'upload_not_found');
    await actAs(db, caller, (tx, caller) => deleteRow(tx, id, caller, clock()));
    await tryRemoveFiles(services, [id]);
    return { status: 200, body: { success: true as const } };
  },
});
