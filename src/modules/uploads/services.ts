import { createLoader } from '#pg';
import type { BaseServices } from '../../http/services.ts';
import type { UploadRow } from './present.ts';
import { listUploads } from './repo.ts';
import { openStorage, type Storage } from './storage.ts';

export type UploadServices = BaseServices & {
  storage: Storage;
  /** Loads an upload; null if it does not exist or its owner is suspended. */
  findUpload: (id: string) => Promise<UploadRow | null>;
};

export const createUploadServices = ({ config, db }: BaseServices) => ({
  storage: openStorage(config),
  findUpload: createLoader((ids: string[]) => listUploads(db, ids), { keyOf: (id) => id }),
});
