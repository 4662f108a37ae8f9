/** Account deletion: the person's images. */
import { sql } from '#pg';
import type { DeletionHook } from '../../http/define-module.ts';

export const uploadDeletionHooks: DeletionHook[] = [
  {
    // The deletion has locked the person's row in `users`, which prevents new uploads.
    firstTable: 'uploads',
    run: async (tx, { userId }) => {
      const rows = await tx.query<{ id: string }>(sql`
        with deleted as (delete from uploads where user_id = ${userId} returning id)
        insert into loose_files (id, due) select id, now() from deleted returning id`);
      return { files: rows.map(({ id }) => id) };
    },
  },
];
