import { newId } from '../../lib/ids.ts';
import type { ConvertedImage } from './images.ts';
import type { UploadRow } from './present.ts';
import { announceFile, dropFile } from './repo.ts';
import type { UploadServices } from './services.ts';
import { reportStorageOutage } from './storage-outage.ts';
import { tryRemoveFiles } from './sweep.ts';

/**
 * Writes the file of a new upload, then inserts its row. The file is deleted again if the row is not
 * inserted.
 * @param insert inserts the row in a transaction, or does nothing
 * @throws Problem `storage_unavailable`, and whatever `insert` throws
 */
export async function storeImage<T>(
  services: UploadServices,
  userId: string,
  { data, width, height }: ConvertedImage,
  insert: (row: UploadRow) => Promise<T>,
): Promise<T> {
  const { db, clock, storage, outages } = services;
  const row = { id: newId(), userId, width, height, bytes: data.length, createdAt: clock() };
  await announceFile(db, row.id, row.createdAt);
  try {
    await reportStorageOutage(outages, storage.write(row.id, data));
    return await insert(row);
  } finally {
    // The transaction that inserts the row deletes the announcement: an announcement that is left has no row.
    const isUnused = await dropFile(db, row.id, clock()).catch(() => false);
    if (isUnused) await tryRemoveFiles(services, [row.id]);
  }
}
