/** Account deletion: reports by the person, and reports about the person. */
import type { DeletionHook } from '../../http/define-module.ts';
import { deleteReports } from './repo.ts';

export const reportDeletionHooks: DeletionHook[] = [
  {
    firstTable: 'reports',
    run: async (tx, { userId }) => {
      await deleteReports(tx, userId);
      return {};
    },
  },
];
