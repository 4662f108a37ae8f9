/** Account deletion: codes, tries and known networks. */
import type { DeletionHook } from '../../../http/define-module.ts';
import { deleteCodesOf } from './repo.ts';

export const codeDeletionHooks: DeletionHook[] = [
  {
    // Codes precede accounts, as in a sign-in. The counts of a number's prefix and country identify no
    // person and stay.
    firstTable: 'codes',
    isOnce: true,
    run: async (tx, { contactHashes }) => {
      for (const contactHash of contactHashes) await deleteCodesOf(tx, contactHash);
    },
  },
];
