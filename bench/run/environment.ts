/** What every work item is made from. */
import type { SqlConnection } from '../../test/sql-tag.ts';
import { type Plan, planEvents } from '../seed/events.ts';
import { prefix, userCount } from '../seed/ids.ts';
import { type Random, randomOf } from '../seed/random.ts';
import type { Dataset } from '../seed.ts';
import type { Request } from './response.ts';

export type Environment = {
  dataset: Dataset;
  /** Past the app: for what is put back, checked and looked up. */
  sql: SqlConnection;
  plan: Plan;
  /** How many writes to prepare: more than any server gets through in the time. */
  mostWrites: number;
};

/** One way to do a work item in SQL: scripts of pgbench, which it picks from at random. */
export type Candidate = { name: string; scripts: string[] };

/** Writes that were acknowledged with 2xx, and how many more may have been under way. */
export type Answered = { acknowledged: number; connections: number };

export type Writes = {
  /** Takes back what was written, and puts the counters right. */
  reset(): Promise<void>;
  /** Says what is wrong with what was written. @param answered null: how many writes there should be is not known */
  verify(answered: Answered | null): Promise<string | null>;
};

export type Prepared = { requests: Request[]; candidates: Candidate[]; writes?: Writes };

export type WorkItem = {
  item: string;
  variant: string;
  /** Requests a second of the best peer of those that were measured at the same work. */
  bestPeer: number | null;
  /** Statuses that are right beside 2xx. */
  alsoExpected?: number[];
  /** Each request is sent at most once, so a fast server ends the measurement early. */
  once?: true;
  /** Each round has other requests, and a server that has just started. */
  isCold?: true;
  /** @param seed of the requests, for items with `isCold` */
  prepare(environment: Environment, seed?: number): Promise<Prepared>;
};

export function createEnvironment(dataset: Dataset, sql: SqlConnection, seconds: number): Environment {
  const mostWrites = Math.min(400_000, 15_000 + seconds * 10_000);
  return { dataset, sql, plan: planEvents(dataset.events, dataset.day), mostWrites };
}

export const randomToken = ({ dataset }: Environment, random: Random): string => random.pick(dataset.tokens);

/** Numbers of events, at random, of which `fits` holds. */
export function randomEvents(
  { plan }: Environment,
  count: number,
  seed: number,
  fits: (kind: ReturnType<Plan['kindOf']>) => boolean,
): number[] {
  const random = randomOf(seed);
  const chosen: number[] = [];
  while (chosen.length < count) {
    const n = 1 + random.below(plan.events);
    if (fits(plan.kindOf(n))) chosen.push(n);
  }
  return chosen;
}

// Parts of scripts.

/** An id in SQL, from a variable of pgbench that holds its number. */
export const sqlId = (kind: keyof typeof prefix, variable: string): string =>
  `('${prefix[kind]}' || lpad(to_hex(:${variable}::int), 12, '0'))::uuid`;

export const setEvent = ({ plan }: Environment): string => `\\set event random(1, ${plan.events})\n`;
export const setUser = `\\set user random(1, ${userCount})\n`;
/** Counts 0, 1, 2 … over all clients together, as the app's requests are sent one after the other. */
export const setStep = '\\set step :i * :clients + :client_id\n\\set i :i + 1\n';

/** The columns of an event's record, from `events e` and `event_counters c`. */
export const eventColumns = `e.id, e.organizer_id, e.title, e.description, e.cover_url, e.start_at, e.end_at, e.timezone,
  e.address, e.lat, e.lng, e.category, e.template, e.price, e.currency, e.capacity, e.visibility, e.status,
  e.enabled_modules, e.created_at, e.updated_at, c.rsvp_count, c.going_count, c.booked_count`;

export const listed = `e.visibility = 'public' and e.status = 'scheduled' and not e.hidden`;

/** The wide rows of `page`, which has ids in an order of its own, with the total from `total`. */
export function wideRows(viewer: boolean, order = 'p.start_at, p.id'): string {
  const mine = viewer
    ? `left join rsvps r on r.event_id = e.id and r.user_id = ${sqlId('user', 'user')}
      left join saves s on s.event_id = e.id and s.user_id = ${sqlId('user', 'user')}`
    : '';
  return `select (select total from total), ${eventColumns}${viewer ? ', r.status as my_rsvp, s.user_id as saved' : ''}
    from page p join events e on e.id = p.id join event_counters c on c.event_id = e.id ${mine}
    order by ${order};`;
}
