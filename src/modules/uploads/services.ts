import type { BaseServices } from '../../http/services.ts';
import { openStorage, type Storage } from './storage.ts';

export type UploadServices = BaseServices & { storage: Storage };

export const createUploadServices = ({ config }: BaseServices) => ({ storage: openStorage(config) });
