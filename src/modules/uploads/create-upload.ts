import { hash } from 'node:crypto';
import { newId } from '#base';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { IdempotencyContext } from '../../idempotency/context.ts';
import { runIdempotent } from '../../idempotency/run-idempotent.ts';
import { findStoredResponses, type ReplayResponse, replay } from '../../idempotency/stored-responses.ts';
import { actAs } from '../../identity/act-as.ts';
import type { Caller } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { bodyTypes, readImage } from './image-body.ts';
import { type ConvertedImage, convertImage } from './images.ts';
import { maxUploadsPerNetwork, maxUploadsPerPerson } from './open-uploads.ts';
import { toUpload } from './present.ts';
import { maxBodyBytes } from './receive-body.ts';
import { announceFile, countUpload, dropFile, insertUpload, requireQuota } from './repo.ts';
import { Upload } from './schemas.ts';
import type { UploadServices } from './services.ts';
import { reportStorageOutage } from './storage-outage.ts';
import { tryRemoveFiles } from './sweep.ts';

export const createUpload = defineEndpoint({
  method: 'POST',
  path: '/v1/uploads',
  summary: 'Upload an image',
  description:
    'The body is the image itself: JPEG, PNG or WebP, at most 10 MiB, 50 megapixels, and 150 MB of decoded pixels ' +
    '(width × height × channels × bytes of a channel: 25 megapixels of a PNG with 16 bit). Its first bytes decide ' +
    'the format, whichever of the declared types `Content-Type` names; any other type results in a 415, and a file of ' +
    'another format a 400. The server turns the image upright, removes all metadata, scales it down if a side has ' +
    'more than 2,048 pixels, and stores it as WebP; of an animation, it stores the first frame. Each person may ' +
    'upload 100 images a day, refused ones included, and store 1 GiB.\n\n' +
    `At most ${maxUploadsPerPerson} uploads of a person and ${maxUploadsPerNetwork} from one address run at once on a ` +
    'server: one more results in a 429 with `too_many_requests`. If the memory for bodies is used up, the person whose ' +
    'bodies take the most gets a 503 with `unavailable`, and so does an image that waits 10 s for its conversion. Try ' +
    'again after `Retry-After`.',
  caller: 'fresh',
  limits: { turns: 'transfer', timeoutMs: 90_000, bodyTypes, bodyLimit: maxBodyBytes },
  retry: 'idempotent',
  createdHeaders: ['Location'],
  response: { 201: Upload },
  problems: ['image_invalid', 'feature_disabled', 'storage_full', 'too_many_uploads', 'storage_unavailable'],

  async handler({ caller, request, idempotency }, services: UploadServices) {
    const { db, clock, flags } = services;
    const image = readImage(request);
    await flags.require('uploads');
    const imageIdempotency = forImage(idempotency, image);
    const stored = await findReplay(services, imageIdempotency);
    if (stored) return stored;
    await requireQuota(db, caller.id, clock());
    const converted = await convertImage(image, caller.id).catch((error) =>
      countRefusal(services, caller, error),
    );
    return storeImage(services, caller, converted, imageIdempotency);
  },
});

/**
 * Counts a refused image towards the quota of the day: refusing it may have taken as long as converting it.
 * @throws `error`
 */
async function countRefusal({ db, clock }: UploadServices, caller: Caller, error: unknown): Promise<never> {
  if (error instanceof Problem && error.code === 'image_invalid')
    await actAs(db, caller, (tx) => countUpload(tx, caller.id, { bytes: 0, now: clock() }));
  throw error;
}

/**
 * Writes the file of a new upload, then inserts its row. The file is deleted again if the row is not
 * inserted.
 * @throws Problem `storage_unavailable`; as `insertUpload` and `runIdempotent`
 */
async function storeImage(
  services: UploadServices,
  caller: Caller,
  { data, width, height }: ConvertedImage,
  idempotency: IdempotencyContext,
) {
  const { db, config, clock, storage, outages } = services;
  const row = { id: newId(), userId: caller.id, width, height, bytes: data.length, createdAt: clock() };
  await announceFile(db, row.id, row.createdAt);
  try {
    await reportStorageOutage(outages, storage.write(row.id, data));
    return await runIdempotent(services, caller, idempotency, async (tx) => {
      await insertUpload(tx, row, clock());
      const upload = toUpload(row, config.publicUrl);
      return { status: 201 as const, body: upload, headers: { location: upload.url } };
    });
  } finally {
    // The transaction that inserts the row deletes the announcement: an announcement that is left has no row.
    const isUnused = await dropFile(db, row.id, clock()).catch(() => false);
    if (isUnused) await tryRemoveFiles(services, [row.id]);
  }
}

/** An idempotency key stands for one image: the hash of the image takes the place of a JSON body. */
const forImage = (idempotency: IdempotencyContext, image: Buffer): IdempotencyContext => ({
  ...idempotency,
  readKey: () => idempotency.readKey(hash('sha256', image)),
});

/**
 * Looks for a stored response before the image is converted, so that a repeated request costs little.
 * @returns null without an idempotency key or a stored response
 * @throws Problem `idempotency_key_reused`
 */
async function findReplay(
  { db, clock }: UploadServices,
  idempotency: IdempotencyContext,
): Promise<ReplayResponse | null> {
  const key = idempotency.readKey();
  if (!key) return null;
  const [stored] = await findStoredResponses(db, [key], clock());
  if (stored instanceof Problem) throw stored;
  return stored ? replay(stored) : null;
}
