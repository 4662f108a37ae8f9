/**
 * Deletes rows of deleted accounts that have become visible since the deletion (decision 51). On a cluster, a
 * transaction becomes visible on one node after the other: a write in the person's name releases the account on its node,
 * the account is deleted, and then the rows of the write appear on another node.
 */
import { type Transaction, transaction } from '#pg';
import { anonymizeLateAudit } from '../../../audit/audit.ts';
import type { ReadyConfig } from '../../../config/config.ts';
import { contactsOf } from '../../../lib/contact.ts';
import { tryRemoveFiles } from '../../uploads/sweep.ts';
import { hashContacts } from '../codes/hashes.ts';
import type { AccountServices } from '../services.ts';
import { deleteLateRows } from './delete-account.ts';
import {
  type DueTombstone,
  deleteTombstone,
  finishSweep,
  lockDueTombstone,
  openTombstone,
  restartSweeps,
} from './tombstones.ts';

type SweepServices = Pick<AccountServices, 'db' | 'clock' | 'log' | 'storage' | 'deletionHooks'> & {
  config: Pick<ReadyConfig, 'secretKey'>;
};

/**
 * Sweeps each account that is due at the time of the call.
 * @throws the error of the first sweep that failed, after the others
 */
export async function sweepDeletedAccounts(services: SweepServices): Promise<void> {
  const startedAt = services.clock();
  const errors: unknown[] = [];
  for (;;) {
    let due: DueTombstone | null = null;
    try {
      const files = await transaction(services.db, async (tx) => {
        due = await lockDueTombstone(tx, startedAt);
        return due && sweep(tx, due, services);
      });
      if (files === null) break;
      await tryRemoveFiles(services, files);
    } catch (error) {
      errors.push(error);
      if (due === null) break;
      await restartSweeps(services.db, due, services.clock());
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** @returns ids of files to remove after the commit */
async function sweep(
  tx: Transaction,
  due: DueTombstone,
  { deletionHooks, config: { secretKey }, log, clock }: SweepServices,
): Promise<string[]> {
  const tombstone = openTombstone(due, secretKey);
  if (!tombstone) {
    log.warn('a deleted account cannot be swept, because SECRET_KEY has changed since its deletion');
    await deleteTombstone(tx, due.id);
    return [];
  }
  const { userId, unseen, ...names } = tombstone;
  const contactHashes = hashContacts(secretKey, contactsOf(names));
  const files = await deleteLateRows(tx, { userId, contactHashes, unseen }, names, deletionHooks);
  await anonymizeLateAudit(tx, secretKey, userId);
  await finishSweep(tx, due, clock());
  return files;
}
