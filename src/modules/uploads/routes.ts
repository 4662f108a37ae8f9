import { hash } from 'node:crypto';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { createLoader } from '../../db/batching.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { App } from '../../http/app.ts';
import { requireCaller } from '../../http/authenticate.ts';
import { isNotModified, sendNotModified } from '../../http/conditional.ts';
import { route } from '../../http/route.ts';
import { ref, Success } from '../../http/schemas.ts';
import { readIdempotencyKey, runIdempotent, sendReplayable } from '../../idempotency/idempotency.ts';
import { findStoredResponses, type StoredResponse } from '../../idempotency/stored-responses.ts';
import { actAs } from '../../identity/act-as.ts';
import { Problem } from '../../lib/errors.ts';
import { newId, readId } from '../../lib/ids.ts';
import type { Deps } from '../../server/build-app.ts';
import { bodyTypes, boundedRoom, maxAtOnce, maxBytes, maxOfOne, sentImage, takeImages } from './body.ts';
import { makePicture, type Picture } from './images.ts';
import { toUpload, type UploadRow } from './present.ts';
import * as queries from './repo.ts';
import { Upload, UploadParams } from './schemas.ts';
import { removeFiles, reportRemainingFiles } from './sweep.ts';

export function uploadRoutes(app: App, { db, config, clock, flags, storage, outages }: Deps): void {
  const find = createLoader((ids: string[]) => queries.listUploads(db, ids), { keyOf: (id) => id });

  /** Logs what the storage cannot do as an outage; the caller may try again. */
  const stored = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error) => {
      outages.report('image storage', error);
      throw new Problem('storage_unavailable');
    });

  /** At once where that is possible; else housekeeping does it. */
  const remove = (ids: string[]) =>
    removeFiles(db, storage, ids).catch((error) => reportRemainingFiles(app.log, error));

  /** Writes the file, and lets `tell` put it into the database; without that nothing stays of it. */
  const createRecordCache = async <T>(
    userId: string,
    picture: Picture,
    tell: (row: UploadRow) => Promise<T>,
  ) => {
    const { data, width, height } = picture;
    const row = { id: newId(), userId, width, height, bytes: data.length, createdAt: clock() };
    await queries.announceFile(db, row.id, row.createdAt);
    try {
      await stored(storage.write(row.id, data));
      return await tell(row);
    } finally {
      // Told of, it is no longer announced; what is, nobody has told of or will.
      if (await queries.dropFile(db, row.id, clock()).catch(() => false)) await remove([row.id]);
    }
  };

  app.get(
    '/v1/uploads/:id.webp',
    route({
      name: 'getUpload',
      access: 'public',
      tag: 'Images',
      summary: 'An image that somebody uploaded',
      description:
        'WebP. What has this address never changes, so it may be kept for ever; it ends with its upload.',
      params: UploadParams,
      response: { 200: Type.String({ description: 'A WebP image.' }), 304: Type.Null() },
      conditional: true,
      problems: ['upload_not_found', 'storage_unavailable'],
      // For whoever has a slow line.
      timeoutMs: 60_000,
    }),
    async (request, reply) => {
      const id = readId(request.params.id, 'upload_not_found');
      const row = await find(id);
      if (!row) throw new Problem('upload_not_found');
      const forEver = { etag: `"${id}"`, 'cache-control': 'public, max-age=31536000, immutable' };
      if (isNotModified(request, forEver.etag)) return sendNotModified(reply.headers(forEver));
      const file = await stored(storage.read(id));
      if (!file) throw new Problem('upload_not_found');
      // Last, so that no refusal is kept for ever.
      return reply
        .headers(forEver)
        .type('image/webp')
        .header('content-length', row.bytes)
        .send(file as never);
    },
  );

  app.delete(
    '/v1/uploads/:id',
    route({
      name: 'deleteUpload',
      access: 'required',
      tag: 'Images',
      summary: 'Delete an image',
      description:
        'For its owner and admins. As an avatar it gives way to the drawn one; events and items keep the address, which ' +
        'then has nothing.',
      params: UploadParams,
      response: { 200: Success },
      problems: ['upload_not_found', 'not_owner'],
      // A bucket may take its time.
      timeoutMs: 30_000,
    }),
    async (request) => {
      const viewer = requireCaller(request);
      const id = readId(request.params.id, 'upload_not_found');
      await actAs(db, viewer, (tx) => queries.deleteUpload(tx, id, viewer, clock()));
      await remove([id]);
      return { success: true as const };
    },
  );

  app.register(async (scope) => {
    takeImages(scope);
    scope.withTypeProvider<TypeBoxTypeProvider>().post(
      '/v1/uploads',
      {
        ...route({
          name: 'createUpload',
          access: 'required',
          tag: 'Images',
          summary: 'Upload an image',
          description:
            'The body is the image itself: JPEG, PNG or WebP, at most 10 MiB and 50 megapixels. Its first bytes decide ' +
            'the format, whichever of the declared types `Content-Type` names; any other type is a 415, and a file of ' +
            'another format a 400. The image is turned upright, ' +
            'freed of all metadata, made smaller where a side has more than 2,048 pixels, and kept as WebP; of an ' +
            'animation the first frame. 100 a day, and 1 GiB of kept images, for each person.\n\n' +
            `At most ${maxOfOne} uploads of a person run at once: one more is a 429 with \`too_many_requests\`. At most ` +
            `${maxAtOnce} run at once on a server: one more is a 503 with \`unavailable\`. Try again after \`Retry-After\`.`,
          bodyTypes,
          response: { 201: ref(Upload) },
          problems: [
            'image_invalid',
            'feature_disabled',
            'storage_full',
            'too_many_uploads',
            'storage_unavailable',
          ],
          idempotent: true,
          // A minute to arrive (app.ts), then to wait for its turn, be decoded and stored.
          timeoutMs: 90_000,
        }),
        bodyLimit: maxBytes,
        preParsing: boundedRoom(),
      },
      async (request, reply) => {
        const viewer = requireCaller(request);
        const bytes = sentImage(request);
        await flags.require('uploads');
        const once = readIdempotencyKey(request, viewer, config.secretKey, hash('sha256', bytes));
        const [known] = once ? await findStoredResponses(db, [once], clock()) : [];
        if (known instanceof Problem) throw known;
        if (known) return sendReplayable(reply, known);
        await queries.requireRoom(db, viewer.id, clock());
        const picture = await makePicture(bytes);
        const answer = await createRecordCache(viewer.id, picture, (row) => {
          const tell = async (tx: Transaction): Promise<StoredResponse> => {
            await queries.insertUpload(tx, row, clock());
            const upload = toUpload(row, config.publicUrl);
            return { status: 201, location: upload.url, body: JSON.stringify(upload) };
          };
          return once ? runIdempotent(db, clock(), once, viewer, tell) : actAs(db, viewer, tell);
        });
        return sendReplayable(reply, answer);
      },
    );
  });
}
