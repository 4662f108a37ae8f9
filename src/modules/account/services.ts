import { createLoader } from '../../db/batching.ts';
import type { Database } from '../../db/client.ts';
import type { DeletionHook } from '../../http/define-module.ts';
import type { ExportSection } from '../../http/export-section.ts';
import type { AuthServices } from '../auth/services.ts';
import type { DiscoveryServices } from '../discovery/services.ts';
import type { UploadServices } from '../uploads/services.ts';
import { exportAccount } from './export-account.ts';

/**
 * What the modules contribute: deletion hooks in lock order, and export sections in the order of the
 * document.
 */
export type AccountHooks = { deletionHooks: DeletionHook[]; exportSections: ExportSection[] };

type LowerServices = UploadServices & AuthServices & DiscoveryServices;

export type AccountServices = LowerServices & {
  deletionHooks: DeletionHook[];
  /** The JSON of a person's export; null if the account does not exist. */
  readExport(userId: string): Promise<Buffer | null>;
};

const maxConcurrentExports = 1;
/** As long as the request may take. */
export const exportTimeoutMs = 60_000;
/** How long an export may take on a replica. */
const replicaTimeoutMs = 20_000;

export const createAccountServices = (
  { replicas, clock, config }: LowerServices,
  { deletionHooks, exportSections }: AccountHooks,
) => ({
  deletionHooks,
  // Exports may be large, so one runs at a time. Concurrent requests of one person share an export.
  readExport: createLoader(
    (ids: string[]) => {
      const { secretKey, publicUrl } = config;
      const readOn = (id: string) => (db: Database) =>
        exportAccount(db, exportSections, { id, secretKey, publicUrl }, clock());
      return Promise.all(ids.map((id) => replicas.read(readOn(id), replicaTimeoutMs)));
    },
    { keyOf: (id) => id, concurrency: maxConcurrentExports, maxBatchSize: 1, timeoutMs: exportTimeoutMs },
  ),
});
