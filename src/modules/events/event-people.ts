/** Writes of `event_people`: what was decided about people at events, and which dates of series they leave out. standings.ts and the statements of decisions read it. */
import { Type } from 'typebox';
import { insertRows, join, raw, type Statement, sql, type Transaction } from '#pg';
import type { DeletionHook } from '../../http/define-module.ts';
import { type ExportSection, exportColumns, exportRow } from '../../http/export-section.ts';
import type { Standing } from './policy.ts';

const columns = {
  ...{ isInvited: 'is_invited', isApproved: 'is_approved', isRemoved: 'is_removed', isAbsent: 'is_absent' },
} as const;
const names = Object.keys(columns) as (keyof typeof columns)[];

/**
 * Sets parts of the standing of people at events, and keeps the others; false for those that a new row leaves out. The transaction
 * must hold a lock on the counters of the events, so RSVPs and bookings are decided before or after it.
 */
export function writeStandings(
  people: { eventId: string; userId: string }[],
  change: Partial<Standing & { isAbsent: boolean }>,
): Statement {
  const changed = names.filter((name) => change[name] !== undefined);
  return sql`
    ${insertRows(
      'event_people as p',
      people.map(({ eventId, userId }) => ({ eventId, userId, ...change })),
      {
        ...{ eventId: 'uuid', userId: 'uuid' },
        ...Object.fromEntries(changed.map((name) => [name, 'boolean'])),
      },
    )}
    order by 1, 2
    on conflict (event_id, user_id) do update set ${join(
      changed.map((name) => sql`${raw(columns[name])} = excluded.${raw(columns[name])}`),
    )}`;
}

/** Approves all who have an RSVP to an event. The transaction must hold the lock of a change of the event. */
export const approvePresent = (eventId: string): Statement => sql`
  insert into event_people as p (event_id, user_id, is_approved)
  select event_id, user_id, true from rsvps where event_id = ${eventId} order by 1, 2
  on conflict (event_id, user_id) do update set is_approved = true`;

/** Gives the standing of a guest without an account to a person who takes the guest over, beside what the person has. */
export const moveStanding = async (
  tx: Transaction,
  { eventId, from, to }: { eventId: string; from: string; to: string },
): Promise<void> => {
  await tx.execute(sql`
    insert into event_people as p (event_id, user_id, is_invited, is_approved, is_removed, is_absent)
    select event_id, ${to}::uuid, is_invited, is_approved, is_removed, is_absent from event_people
    where event_id = ${eventId} and user_id = ${from}
    on conflict (event_id, user_id) do update set is_invited = p.is_invited or excluded.is_invited,
      is_approved = p.is_approved or excluded.is_approved, is_removed = p.is_removed or excluded.is_removed`);
};

export const standingDeletionHook: DeletionHook = {
  firstTable: 'event_people',
  run: async (tx, { userId }) => {
    await tx.query(sql`delete from event_people where user_id = ${userId}`);
    return undefined;
  },
};

const stands = { examples: [false] };

export const standingExportSection: ExportSection = {
  name: 'standings',
  row: exportRow('ExportStanding', {
    eventId: exportColumns.id,
    isInvited: Type.Boolean({ description: 'Whether the person is invited.', ...stands }),
    isApproved: Type.Boolean({
      description: 'Whether the organizer approved a request of the person.',
      ...stands,
    }),
    isRemoved: Type.Boolean({ description: 'Whether the organizer removed the person.', ...stands }),
    isAbsent: Type.Boolean({
      description: 'Whether the person answered a date of a series with no RSVP.',
      ...stands,
    }),
  }),
  description: 'What organizers decided about the person, and which dates of series the person leaves out.',
  tables: ['event_people'],
  rows: (subject) => sql`
    select event_id, is_invited, is_approved, is_removed, is_absent from event_people
    where user_id = ${subject.id} order by event_id`,
};
