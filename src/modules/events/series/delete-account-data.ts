/** Account deletion: the series of the person, whose occurrences are deleted with the other events, and the RSVPs to other series. */
import { lockEach, sql } from '#pg';
import type { DeletionHook } from '../../../http/define-module.ts';
import { deleteSubjects } from '../delete-subjects.ts';

export const seriesDeletionHooks: DeletionHook[] = [
  {
    firstTable: 'series',
    // A job that makes dates ends before, and finds no series, and no RSVP of the person, after. Others answer meanwhile.
    run: async (tx, { userId }) => {
      const own = await tx.query<{ id: string }>(sql`select id from series where organizer_id = ${userId}`);
      const answered = await tx.query<{ id: string }>(sql`
        select series_id as id from series_rsvps where user_id = ${userId}
        union select series_id from series_people where user_id = ${userId}
        union select subject_id from requests where user_id = ${userId} and is_of_series
        union select subject_id from invitations
        where is_of_series and (user_id = ${userId} or inviter_id = ${userId})`);
      const ownIds = new Set(own.map(({ id }) => id));
      await lockEach([...new Set([...own, ...answered].map(({ id }) => id))], String, (id) =>
        tx.query(
          ownIds.has(id)
            ? sql`select 1 from series where id = ${id} for update`
            : sql`select 1 from series where id = ${id} for no key update`,
        ),
      );
      await tx.query(sql`delete from series_rsvps where user_id = ${userId}`);
      await tx.query(sql`delete from series_people where user_id = ${userId}`);
      await tx.query(sql`delete from series where organizer_id = ${userId}`);
      await deleteSubjects(tx, [...ownIds]);
    },
  },
];
