/** Account deletion: the announcements of the person. */
import { lockEach, sql } from '#pg';
import type { DeletionHook } from '../../http/define-module.ts';

export const announcementDeletionHooks: DeletionHook[] = [
  {
    firstTable: 'announcements',
    // Those of the person's own events are gone with them; an admin writes to the guests of others.
    run: async (tx, { userId }) => {
      const found = await tx.query<{ subjectId: string; id: string }>(
        sql`select subject_id, id from announcements where author_id = ${userId}`,
      );
      await lockEach(
        found,
        ({ subjectId, id }) => `${subjectId} ${id}`,
        ({ subjectId, id }) =>
          tx.query(
            sql`select 1 from announcements where subject_id = ${subjectId} and id = ${id} for update`,
          ),
      );
      await tx.query(sql`delete from announcements where author_id = ${userId}`);
    },
  },
];
