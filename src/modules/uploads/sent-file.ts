/** Receives bodies that are files: images, and calendars. */
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { largestNetworkOf } from '#base';
import type { App } from '../../http/app.ts';
import { Problem } from '../../lib/errors.ts';
import { type OpenUpload, OpenUploads } from './open-uploads.ts';
import { receiveBody } from './receive-body.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The file of an upload; `body` stays undefined, because shared code expects `body` to be JSON. */
    sentFile: Buffer | null;
    /** The counted upload, before its body is received. */
    upload: OpenUpload | null;
  }
}

/** Lets the routes of `app` accept files of some media types, and limits concurrent uploads. */
export function acceptFiles(app: App, types: readonly string[]): void {
  const uploads = new OpenUploads();
  app.decorateRequest('sentFile', null);
  app.decorateRequest('upload', null);
  app.addContentTypeParser([...types], async (request: FastifyRequest, payload: IncomingMessage) => {
    request.sentFile = await receiveFile(uploads, request, payload);
  });

  // This hook runs after authentication and before the body is read into memory.
  app.addHook('preParsing', async (request, reply) => {
    const { caller, ip } = request;
    if (!caller) throw new Problem('token_missing');
    const upload = uploads.open(caller.id, largestNetworkOf(ip));
    request.upload = upload;
    // `close` follows every outcome: a response, a timeout or a lost connection.
    reply.raw.once('close', () => uploads.close(upload));
  });
}

async function receiveFile(
  uploads: OpenUploads,
  { upload, headers }: FastifyRequest,
  payload: IncomingMessage,
): Promise<Buffer> {
  if (!upload) throw new Error('the upload was not counted');
  const length = headers['content-length'];
  const { body, end } = receiveBody(payload, {
    network: upload.network,
    contentLength: length === undefined ? undefined : Number(length),
    onGrow: (bytes) => uploads.grow(upload, bytes),
  });
  upload.end = end;
  try {
    return await body;
  } finally {
    upload.end = null;
  }
}
