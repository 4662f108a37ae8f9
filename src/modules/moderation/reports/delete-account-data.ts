/** Account deletion: reports by the person, and reports about the person. */
import { lockEach, sql } from '#pg';
import type { DeletionHook } from '../../../http/define-module.ts';

export const reportDeletionHooks: DeletionHook[] = [
  {
    firstTable: 'reports',
    // The rows are locked in ascending order first: two people who reported each other may delete their accounts at the
    // same time.
    run: async (tx, { userId }) => {
      const found = await tx.query<{ reporterId: string; id: string }>(sql`
        select reporter_id, id from reports where reporter_id = ${userId} or about_id = ${userId}`);
      await lockEach(
        found,
        ({ reporterId, id }) => reporterId + id,
        ({ reporterId, id }) =>
          tx.query(sql`select 1 from reports where reporter_id = ${reporterId} and id = ${id} for update`),
      );
      await tx.query(sql`delete from reports where reporter_id = ${userId} or about_id = ${userId}`);
    },
  },
];
