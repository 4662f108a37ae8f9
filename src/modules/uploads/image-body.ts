/** Reads the body of an upload, which is the image itself. */
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { largestNetworkOf } from '#base';
import type { App } from '../../http/app.ts';
import { Problem } from '../../lib/errors.ts';
import { imageTypes } from './images.ts';
import { type OpenUpload, OpenUploads } from './open-uploads.ts';
import { receiveBody } from './receive-body.ts';

/**
 * The media types that a request may declare. The first bytes of the file alone decide its format: many
 * clients, for example generated ones, declare the first type of the list for every file.
 */
export const bodyTypes = [...imageTypes, 'application/octet-stream'] as const;

declare module 'fastify' {
  interface FastifyRequest {
    /** The image of an upload; `body` stays undefined, because shared code expects `body` to be JSON. */
    image: Buffer | null;
    /** The counted upload, before its body is received. */
    upload: OpenUpload | null;
  }
}

/** Makes images the only bodies that the routes of `app` accept, and limits concurrent uploads. */
export function acceptImages(app: App): void {
  const uploads = new OpenUploads();
  app.decorateRequest('image', null);
  app.decorateRequest('upload', null);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser([...bodyTypes], async (request: FastifyRequest, payload: IncomingMessage) => {
    request.image = await receiveImage(uploads, request, payload);
  });
  app.addContentTypeParser('*', (_request, _payload, done) => done(notAnImage(), undefined));

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

async function receiveImage(
  uploads: OpenUploads,
  { upload, headers }: FastifyRequest,
  payload: IncomingMessage,
) {
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

/** @throws Problem `unsupported_media_type` if the request has no body */
export function readImage(request: FastifyRequest): Buffer {
  if (!request.image) throw notAnImage();
  return request.image;
}

const notAnImage = () =>
  new Problem('unsupported_media_type', {
    detail: `Send the image itself as the body, with one of these Content-Types: ${bodyTypes.join(', ')}.`,
  });
