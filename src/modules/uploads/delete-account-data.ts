/** Account deletion: the person's images. */
import type { DeletionHook } from '../../http/define-module.ts';
import { deleteUploadsOf } from './repo.ts';

export const uploadDeletionHooks: DeletionHook[] = [
  {
    // Relies on the lock on the person's row, which prevents new uploads.
    firstTable: 'uploads',
    run: async (tx, { userId }) => ({ files: await deleteUploadsOf(tx, userId) }),
  },
];
