/** Reads the body of an upload, which is the image itself. */
import type { FastifyRequest } from 'fastify';
import type { App } from '../../http/app.ts';
import { Problem } from '../../lib/errors.ts';
import { imageTypes } from './images.ts';
import { UploadSlots } from './upload-slots.ts';

/** Maximum size of a body, in bytes. */
export const maxBodyBytes = 10 * 1024 ** 2;

/**
 * The media types that a request may declare. The first bytes of the file alone decide its format: many
 * clients, for example generated ones, declare the first type of the list for every file.
 */
export const bodyTypes = [...imageTypes, 'application/octet-stream'] as const;

declare module 'fastify' {
  interface FastifyRequest {
    /** The image of an upload; `body` stays undefined, because shared code expects `body` to be JSON. */
    image: Buffer | null;
  }
}

/** Makes images the only bodies that the routes of `app` accept, and limits concurrent uploads. */
export function acceptImages(app: App): void {
  app.decorateRequest('image', null);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser([...bodyTypes], { parseAs: 'buffer' }, (request, bytes, done) => {
    // `parseAs: 'buffer'` passes a Buffer; the type also allows a string.
    request.image = bytes as Buffer;
    done(null, undefined);
  });
  app.addContentTypeParser('*', (_request, _payload, done) => done(notAnImage(), undefined));

  const slots = new UploadSlots();
  // This hook runs after authentication and before the body is read into memory.
  app.addHook('preParsing', (request, reply, _payload, done) => {
    const { caller } = request;
    if (!caller) return done(new Problem('token_missing'));
    const refusal = slots.acquire(caller.id);
    if (refusal) return done(refusal);
    // `close` follows every outcome: a response, a timeout or a lost connection.
    reply.raw.once('close', () => slots.release(caller.id));
    done();
  });
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
