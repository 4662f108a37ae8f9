import { createLoader } from '../../db/batching.ts';
import type { DeletionHook } from '../../http/define-module.ts';
import type { ExportSection } from '../../http/export-section.ts';
import type { AuthServices } from '../auth/services.ts';
import type { EventServices } from '../events/services.ts';
import type { UploadServices } from '../uploads/services.ts';
import { exportAccount } from './export-account.ts';

/**
 * What the modules contribute: deletion hooks in lock order, and export sections in the order of the
 * document.
 */
export type AccountHooks = { deletionHooks: DeletionHook[]; exportSections: ExportSection[] };

type LowerServices = UploadServices & AuthServices & EventServices;

export type AccountServices = LowerServices & {
  deletionHooks: DeletionHook[];
  /** The JSON of a person's export; null if the account does not exist. */
  readExport(userId: string): Promise<Buffer | null>;
};

const maxConcurrentExports = 2;

export const createAccountServices = (
  { db, clock, config }: LowerServices,
  { deletionHooks, exportSections }: AccountHooks,
) => ({
  deletionHooks,
  // Exports may be large, so few run at the same time. Concurrent requests of one person share an export.
  readExport: createLoader(
    async ([id]: string[]) => {
      if (id === undefined) return [null];
      const { secretKey, publicUrl } = config;
      return [await exportAccount(db, exportSections, { id, secretKey, publicUrl }, clock())];
    },
    { keyOf: (id) => id, concurrency: maxConcurrentExports, maxBatchSize: 1 },
  ),
});
