import { Type } from 'typebox';
import { isNotModified, notModified } from '../../http/conditional.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { UploadParams } from './schemas.ts';
import type { UploadServices } from './services.ts';
import { reportStorageOutage } from './storage-outage.ts';

export const getUpload = defineEndpoint({
  method: 'GET',
  path: '/v1/uploads/:id.webp',
  summary: 'Get an uploaded image',
  description:
    'Responds with WebP. The image at this address never changes, so clients may cache it forever. The address is a ' +
    '404 once the upload is deleted.',
  caller: 'none',
  uncached: true,
  params: UploadParams,
  response: { 200: Type.String({ format: 'binary', description: 'A WebP image.' }) },
  etag: 'version',
  problems: ['upload_not_found', 'storage_unavailable'],
  // Allows for a slow bucket.
  limits: { timeoutMs: 30_000 },

  async handler({ params, request }, { findUpload, storage, outages }: UploadServices) {
    const id = readId(params.id, 'upload_not_found');
    const upload = await findUpload(id);
    if (!upload) throw new Problem('upload_not_found');
    const headers = { etag: `"${id}"`, 'cache-control': 'public, max-age=31536000, immutable' };
    if (isNotModified(request, headers.etag)) return notModified(headers);
    const file = await reportStorageOutage(outages, storage.read(id));
    if (!file) throw new Problem('upload_not_found');
    return {
      statusCode: 200,
      contentType: 'image/webp',
      content: file,
      headers: { ...headers, 'content-length': upload.bytes },
    };
  },
});
