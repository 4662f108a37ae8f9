/** What the command doctor examines of the bucket of images. */
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { broken, type Check, good, reasonOf, skipped } from '../../doctor/finding.ts';
import { openStorage } from './storage.ts';

/** Writes a small object as an image is written, and deletes it again. */
export const bucket: Check = {
  name: 'bucket',
  variables: ['S3_'],
  async run({ config }) {
    if (!config.s3) return skipped('Images are in DATA_DIR.');
    const storage = openStorage(config);
    const [name, bytes] = [`doctor-${randomUUID()}`, Buffer.from('doctor')];
    const attempt = (what: string, step: Promise<void>) =>
      step.then(
        () => null,
        (error: Error) =>
          broken(
            `No object can be ${what} ${storage.place}: ${error.name}, ${reasonOf(error)}.`,
            'Correct the variables S3_…, and let the keys read, write and delete objects below uploads/.',
          ),
      );
    const written = await attempt('written to', storage.write(name, bytes));
    const found = written ?? (await attempt('read from', expectSame(storage.read(name), bytes)));
    // Also after a failure: the object may have arrived.
    const removed = await attempt('deleted in', storage.remove(name));
    return found ?? removed ?? good(`An object was written to ${storage.place}, read and deleted.`);
  },
};

async function expectSame(reading: Promise<Readable | null>, expected: Buffer): Promise<void> {
  const found = await reading;
  if (!found || !(await buffer(found)).equals(expected)) throw new Error('it has another content');
}
