/** Account deletion: the person's images. */
import type { DeletionHook } from '../../http/define-module.ts';
import { deleteUploadsOf } from './repo.ts';

export const uploadDeletionHooks: DeletionHook[] = [
  {
    // The deletion has locked the person's row in `users`, which prevents new uploads.
    firstTable: 'uploads',
    run: async (tx, { userId }) => ({ files: await deleteUploadsOf(tx, userId) }),
  },
];
