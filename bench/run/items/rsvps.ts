/** W4 and W5: RSVPs to many events and to one event. */

import { randomOf } from '../../../test/support/random.ts';
import { hotEvent, idOf, numberOf, userCount } from '../../seed/ids.ts';
import {
  type Candidate,
  type Environment,
  randomEvents,
  setEvent,
  setStep,
  setUser,
  sqlId,
  type WorkItem,
  type WriteCount,
  type Writes,
} from '../environment.ts';
import type { Request } from '../response.ts';

const rsvp = (environment: Environment, event: number, user: number, status: string): Request => ({
  method: 'POST',
  path: `/v1/events/${idOf('event', event)}/rsvp`,
  token: environment.dataset.tokens[user - 1] ?? '',
  body: JSON.stringify({ status }),
});

const manyEvents: WorkItem = {
  item: 'W4',
  variant: 'many events',
  bestPeer: 1_763,
  async prepare(environment) {
    const random = randomOf(40);
    const events = randomEvents(environment, environment.maxWrites, 41, (kind) => kind === 'listed');
    const pairs = await withoutRsvp(
      environment,
      events.map((event) => ({ event, user: 1 + random.below(userCount) })),
    );
    const requests = pairs.map(({ event, user }) =>
      rsvp(environment, event, user, random.pick(['going', 'interested'])),
    );
    const script = `${setEvent(environment)}${setUser}\\set going random(0, 1)\n${statement(environment)}`;
    return {
      requests,
      candidates: [{ name: 'one statement', scripts: [script] }],
      writes: writes(environment, pairs.length),
    };
  },
};

/** Drops pairs with an existing RSVP, so that a reset only deletes rows. */
async function withoutRsvp({ sql }: Environment, pairs: { event: number; user: number }[]) {
  const rows = await sql<{ event: string; person: string }[]>`
    select distinct pair.event, pair.person
    from unnest(${pairs.map(({ event }) => idOf('event', event))}::uuid[],
      ${pairs.map(({ user }) => idOf('user', user))}::uuid[]) pair (event, person)
    join rsvps r on r.event_id = pair.event and r.user_id = pair.person`;
  const existing = new Set(rows.map(({ event, person }) => `${numberOf(event)} ${numberOf(person)}`));
  // Without repeated pairs, the number of rows equals the number of acknowledged RSVPs.
  return pairs.filter(({ event, user }) => {
    const key = `${event} ${user}`;
    return !existing.has(key) && existing.add(key);
  });
}

const oneEvent: WorkItem = {
  item: 'W5',
  variant: 'one hot event',
  bestPeer: 430,
  async prepare(environment) {
    const event = hotEvent(environment.plan.events);
    // One RSVP per person; further requests change the status, which also updates the counter.
    const requests = Array.from({ length: Math.max(environment.maxWrites, userCount) }, (_, step) =>
      rsvp(environment, event, 1 + (step % userCount), isGoing(step) ? 'going' : 'interested'),
    );
    const script = `${setStep}\\set event ${event}\n\\set user 1 + :step % ${userCount}
      \\set going 1 - :step / ${userCount} % 2\n${statement(environment)}`;
    const candidates: Candidate[] = [{ name: 'one statement', scripts: [script] }];
    return { requests, candidates, writes: writes(environment, userCount) };
  },
};

const isGoing = (step: number) => Math.floor(step / userCount) % 2 === 0;

/** `old` gives the status of the overwritten row. The RSVPs of the dataset are not changed. */
const statement = ({ dataset }: Environment): string => `with rsvp as (
    insert into rsvps (event_id, user_id, status, created_at)
    select e.id, ${sqlId('user', 'user')}, case :going::int when 1 then 'going' else 'interested' end, now()
    from events e
    where e.id = ${sqlId('event', 'event')} and e.visibility = 'public' and e.status = 'scheduled'
    on conflict (event_id, user_id) do update set status = excluded.status
      where rsvps.created_at > '${dataset.day.toISOString()}'
    returning event_id, old.status as before, new.status as after
  )
  update event_counters c set rsvp_count = rsvp_count + (rsvp.before is null)::int,
    going_count = going_count + (rsvp.after = 'going')::int - coalesce((rsvp.before = 'going')::int, 0)
  from rsvp where c.event_id = rsvp.event_id;`;

/** @param distinct the number of requests that create an RSVP */
function writes({ sql, dataset: { day } }: Environment, distinct: number): Writes {
  const since = day.toISOString();
  return {
    async reset() {
      const deleted = await sql<{ eventId: string }[]>`
        with deleted as (delete from rsvps where created_at > ${since} returning event_id)
        select distinct event_id as "eventId" from deleted`;
      await sql`
        update event_counters c set rsvp_count = r.rsvps, going_count = r.going, unread_rsvps = 0,
          rsvps_notification_id = null, rsvps_person_id = null
        from unnest(${deleted.map((row) => row.eventId)}::uuid[]) touched (id)
        cross join lateral (
          select count(*) as rsvps, count(*) filter (where status = 'going') as going
          from rsvps where event_id = touched.id
        ) r
        where c.event_id = touched.id`;
      await sql`vacuum rsvps, event_counters`;
    },
    async verify(expected) {
      const [row] = await sql<[{ wrong: number; written: number }]>`
        select count(*) filter (where c.rsvp_count <> coalesce(r.rsvps, 0) or c.going_count <> coalesce(r.going, 0))::int
            as wrong,
          (select count(*)::int from rsvps where created_at > ${since}) as written
        from event_counters c left join (
          select event_id, count(*) as rsvps, count(*) filter (where status = 'going') as going
          from rsvps group by event_id
        ) r on r.event_id = c.event_id`;
      if (row.wrong > 0) return `the counters of ${row.wrong} events differ from their RSVPs`;
      return compareWrites(row.written, expected, distinct);
    },
  };
}

/** Each connection may have one more write than was acknowledged, because the load ends during requests. */
export function compareWrites(written: number, expected: WriteCount | null, distinct: number): string | null {
  if (!expected) return null;
  const { acknowledged, connections } = expected;
  const min = Math.min(acknowledged, distinct);
  if (written >= min && written <= min + connections) return null;
  return `${acknowledged} writes were acknowledged, but the database contains ${written}`;
}

export const rsvps: WorkItem[] = [manyEvents, oneEvent];
