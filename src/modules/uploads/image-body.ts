/** Reads the body of an upload, which is the image itself. */
import type { FastifyRequest } from 'fastify';
import type { App } from '../../http/app.ts';
import { Problem } from '../../lib/errors.ts';
import { imageTypes } from './images.ts';
import { acceptFiles } from './sent-file.ts';

/**
 * The media types that a request may declare. The first bytes of the file alone decide its format: many
 * clients, for example generated ones, declare the first type of the list for every file.
 */
export const bodyTypes = [...imageTypes, 'application/octet-stream'] as const;

/** Makes images the only bodies that the routes of `app` accept, and limits concurrent uploads. */
export function acceptImages(app: App): void {
  app.removeAllContentTypeParsers();
  acceptFiles(app, bodyTypes);
  app.addContentTypeParser('*', (_request, _payload, done) => done(notAnImage(), undefined));
}

/** @throws Problem `unsupported_media_type` if the request has no body */
export function readImage(request: FastifyRequest): Buffer {
  if (!request.sentFile) throw notAnImage();
  return request.sentFile;
}

const notAnImage = () =>
  new Problem('unsupported_media_type', {
    detail: `Send the image itself as the body, with one of these Content-Types: ${bodyTypes.join(', ')}.`,
  });
