/** W4 and W5: RSVPs, over many events and all on one. */
import { hotEvent, idOf, numberOf, userCount } from '../../seed/ids.ts';
import { randomOf } from '../../seed/random.ts';
import {
  type Answered,
  type Candidate,
  type Environment,
  randomEvents,
  setEvent,
  setStep,
  setUser,
  sqlId,
  type WorkItem,
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
    const events = randomEvents(environment, environment.mostWrites, 41, (kind) => kind === 'listed');
    const pairs = await unanswered(
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

/** What the dataset holds already is left alone, so that taking back is deleting. */
async function unanswered({ sql }: Environment, pairs: { event: number; user: number }[]) {
  const rows = await sql<{ event: string; person: string }[]>`
    select distinct pair.event, pair.person
    from unnest(${pairs.map(({ event }) => idOf('event', event))}::uuid[],
      ${pairs.map(({ user }) => idOf('user', user))}::uuid[]) pair (event, person)
    join rsvps r on r.event_id = pair.event and r.user_id = pair.person`;
  const taken = new Set(rows.map(({ event, person }) => `${numberOf(event)} ${numberOf(person)}`));
  // No pair twice, so that as many rows are there in the end as answers were given.
  return pairs.filter(({ event, user }) => {
    const key = `${event} ${user}`;
    return !taken.has(key) && taken.add(key);
  });
}

const oneEvent: WorkItem = {
  item: 'W5',
  variant: 'one hot event',
  bestPeer: 430,
  async prepare(environment) {
    const event = hotEvent(environment.plan.events);
    // Everybody in turn; whoever is still asked after that changes their mind, which moves the counter as well.
    const requests = Array.from({ length: Math.max(environment.mostWrites, userCount) }, (_, step) =>
      rsvp(environment, event, 1 + (step % userCount), isGoing(step) ? 'going' : 'interested'),
    );
    const script = `${setStep}\\set event ${event}\n\\set user 1 + :step % ${userCount}
      \\set going 1 - :step / ${userCount} % 2\n${statement(environment)}`;
    const candidates: Candidate[] = [{ name: 'one statement', scripts: [script] }];
    return { requests, candidates, writes: writes(environment, userCount) };
  },
};

const isGoing = (step: number) => Math.floor(step / userCount) % 2 === 0;

/** The old status comes from the very row that is overwritten. What the dataset itself holds is left as it is. */
const statement = ({ dataset }: Environment): string => `with answer as (
    insert into rsvps (event_id, user_id, status, created_at)
    select e.id, ${sqlId('user', 'user')}, case :going::int when 1 then 'going' else 'interested' end, now()
    from events e
    where e.id = ${sqlId('event', 'event')} and e.visibility = 'public' and e.status = 'scheduled'
    on conflict (event_id, user_id) do update set status = excluded.status
      where rsvps.created_at > '${dataset.day.toISOString()}'
    returning event_id, old.status as before, new.status as after
  )
  update event_counters c set rsvp_count = rsvp_count + (answer.before is null)::int,
    going_count = going_count + (answer.after = 'going')::int - coalesce((answer.before = 'going')::int, 0)
  from answer where c.event_id = answer.event_id;`;

/** @param distinct how many of the requests come from somebody who has not answered that event */
function writes({ sql, dataset: { day } }: Environment, distinct: number): Writes {
  const since = day.toISOString();
  return {
    async reset() {
      const gone = await sql<{ eventId: string }[]>`
        with gone as (delete from rsvps where created_at > ${since} returning event_id)
        select distinct event_id as "eventId" from gone`;
      await sql`
        update event_counters c set rsvp_count = r.answers, going_count = r.going
        from unnest(${gone.map((row) => row.eventId)}::uuid[]) touched (id)
        cross join lateral (
          select count(*) as answers, count(*) filter (where status = 'going') as going
          from rsvps where event_id = touched.id
        ) r
        where c.event_id = touched.id`;
      await sql`vacuum rsvps, event_counters`;
    },
    async verify(answered) {
      const [row] = await sql<[{ wrong: number; written: number }]>`
        select count(*) filter (where c.rsvp_count <> coalesce(r.answers, 0) or c.going_count <> coalesce(r.going, 0))::int
            as wrong,
          (select count(*)::int from rsvps where created_at > ${since}) as written
        from event_counters c left join (
          select event_id, count(*) as answers, count(*) filter (where status = 'going') as going
          from rsvps group by event_id
        ) r on r.event_id = c.event_id`;
      if (row.wrong > 0) return `the counters of ${row.wrong} events are not what they count`;
      return compare(row.written, answered, distinct);
    },
  };
}

/** What was under way when the time was over may have been written without being answered. */
export function compare(written: number, answered: Answered | null, distinct: number): string | null {
  if (!answered) return null;
  const { acknowledged, connections } = answered;
  const least = Math.min(acknowledged, distinct);
  if (written >= least && written <= least + connections) return null;
  return `${acknowledged} writes were acknowledged, but ${written} are there`;
}

export const answers: WorkItem[] = [manyEvents, oneEvent];
