/** Account deletion: the series of the person. Their occurrences are deleted with the other events. */
import { lockEach, sql } from '#pg';
import type { DeletionHook } from '../../../http/define-module.ts';

export const seriesDeletionHooks: DeletionHook[] = [
  {
    firstTable: 'series',
    // A job that makes dates ends before, and finds no series after.
    run: async (tx, { userId }) => {
      const own = await tx.query<{ id: string }>(sql`select id from series where organizer_id = ${userId}`);
      await lockEach(
        own.map(({ id }) => id),
        String,
        (id) => tx.query(sql`select 1 from series where id = ${id} for update`),
      );
      await tx.query(sql`delete from series where organizer_id = ${userId}`);
    },
  },
];
