/** How an image comes in: as the body itself. What is read at the same time is bounded, since it is held in memory. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../http/app.ts';
import { requireCaller } from '../../http/authenticate.ts';
import { Problem } from '../../lib/errors.ts';
import { imageTypes } from './images.ts';

/** In bytes. */
export const maxBytes = 10 * 1024 ** 2;
/** Images that a process holds or waits for at the same time; one more gets a 503 at once. */
export const maxAtOnce = 16;
/** As many as browsers send at once. */
export const maxOfOne = 6;

/**
 * The media types that a request may declare. The first bytes of the file alone decide its format: many clients, among
 * them generated ones, declare the first type of the list for every file.
 */
export const bodyTypes = [...imageTypes, 'application/octet-stream'] as const;

declare module 'fastify' {
  interface FastifyRequest {
    /** Beside the body, which everything else expects to be JSON. */
    image: Buffer | null;
  }
}

/** For a scope of its own: here images are the only bodies. */
export function takeImages(app: App): void {
  app.decorateRequest('image', null);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser([...bodyTypes], { parseAs: 'buffer' }, (request, bytes, done) => {
    // `parseAs: 'buffer'` gives a Buffer; the type says that it may be a string.
    request.image = bytes as Buffer;
    done(null, undefined);
  });
  app.addContentTypeParser('*', (_request, _payload, done) => done(notAnImage(), undefined));
}

/** @throws Problem `unsupported_media_type` where the request had no body */
export function sentImage(request: FastifyRequest): Buffer {
  if (!request.image) throw notAnImage();
  return request.image;
}

const notAnImage = () =>
  new Problem('unsupported_media_type', {
    detail: `Send the image itself as the body, with a Content-Type of these: ${bodyTypes.join(', ')}.`,
  });

/**
 * A hook that lets so many in; it runs when the caller is known and before the body is read.
 * @throws Problem `unavailable`, and `too_many_requests` for whoever would take the place of others
 */
export function boundedRoom() {
  const inside = new Map<string, number>();
  let all = 0;
  return (request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: (error?: Error) => void) => {
    const { id } = requireCaller(request);
    const own = inside.get(id) ?? 0;
    if (own >= maxOfOne) return done(tooManyOfOne());
    if (all >= maxAtOnce) return done(new Problem('unavailable', { retryAfter: 5 }));
    inside.set(id, own + 1);
    all++;
    // However it ends: answered, given up or cut off.
    reply.raw.once('close', () => {
      const left = (inside.get(id) ?? 0) - 1;
      if (left > 0) inside.set(id, left);
      else inside.delete(id);
      all--;
    });
    done();
  };
}

const tooManyOfOne = () =>
  new Problem('too_many_requests', {
    detail: `At most ${maxOfOne} images of a person are taken in at once.`,
    retryAfter: 2,
  });
