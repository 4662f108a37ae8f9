/** Types and SQL fragments that the work items share. */

import { type Random, randomOf } from '../../test/support/random.ts';
import type { SqlConnection } from '../../test/support/sql-tag.ts';
import { type Plan, planEvents } from '../seed/events.ts';
import { prefix, userCount } from '../seed/ids.ts';
import type { Dataset } from '../seed.ts';
import type { Request } from './response.ts';

export type Environment = {
  dataset: Dataset;
  /** Direct access to the database, to reset and check data. */
  sql: SqlConnection;
  plan: Plan;
  /** The number of writes to prepare: more than any server can process in the time. */
  maxWrites: number;
};

/** One implementation of a work item in SQL: pgbench scripts, of which pgbench picks one at random. */
export type Candidate = { name: string; scripts: string[] };

/**
 * The number of writes with a 2xx response, and of connections, each of which may have had a running write.
 */
export type WriteCount = { acknowledged: number; connections: number };

export type Writes = {
  /** Deletes the written rows and corrects the counters. */
  reset(): Promise<void>;
  /**
   * @returns what is wrong with the written rows, or null @param expected null if the number of writes is
   *   unknown
   */
  verify(expected: WriteCount | null): Promise<string | null>;
};

export type Prepared = { requests: Request[]; candidates: Candidate[]; writes?: Writes };

export type WorkItem = {
  item: string;
  variant: string;
  /** Requests a second of the fastest peer. */
  bestPeer: number | null;
  /** Expected statuses besides 2xx. */
  alsoExpected?: number[];
  /** Each request is sent at most once, so a fast server ends the measurement early. */
  once?: true;
  /** Each round has other requests, and a server that has just started. */
  isCold?: true;
  /** Another server writes meanwhile (write-load.ts). */
  isBesideWrites?: boolean;
  /** @param seed of the requests, for items with `isCold` */
  prepare(environment: Environment, seed?: number): Promise<Prepared>;
};

export function createEnvironment(dataset: Dataset, sql: SqlConnection, seconds: number): Environment {
  const maxWrites = Math.min(400_000, 15_000 + seconds * 10_000);
  return { dataset, sql, plan: planEvents(dataset.events, dataset.day), maxWrites };
}

export const randomToken = ({ dataset }: Environment, random: Random): string => random.pick(dataset.tokens);

/** Random event numbers whose kind passes the filter. */
export function randomEvents(
  { plan }: Environment,
  count: number,
  seed: number,
  filter: (kind: ReturnType<Plan['kindOf']>) => boolean,
): number[] {
  const random = randomOf(seed);
  const chosen: number[] = [];
  while (chosen.length < count) {
    const n = 1 + random.below(plan.events);
    if (filter(plan.kindOf(n))) chosen.push(n);
  }
  return chosen;
}

// Fragments of pgbench scripts.

/** The SQL expression of an id, from a pgbench variable with its number. */
export const sqlId = (kind: keyof typeof prefix, variable: string): string =>
  `('${prefix[kind]}' || lpad(to_hex(:${variable}::int), 12, '0'))::uuid`;

export const setEvent = ({ plan }: Environment): string => `\\set event random(1, ${plan.events})\n`;
export const setUser = `\\set user random(1, ${userCount})\n`;
/** Counts 0, 1, 2 … across all clients, in the order of the requests that the app receives. */
export const setStep = '\\set step :i * :clients + :client_id\n\\set i :i + 1\n';

/** The columns of an event, from `events e` and `event_counters c`. */
export const eventColumns = `e.id, e.organizer_id, e.title, e.description, e.cover_url, e.start_at, e.end_at, e.timezone,
  e.address, e.lat, e.lng, e.category, e.template, e.price, e.currency, e.capacity, e.visibility, e.status,
  e.enabled_modules, e.created_at, e.updated_at, c.rsvp_count, c.going_count, c.booked_count`;

export const listed = `e.visibility = 'public' and e.status = 'scheduled' and not e.hidden`;

/** Selects the full rows of `page`, which contains ids, with the total of `total`. */
export function selectPage(viewer: boolean, order = 'p.start_at, p.id'): string {
  const mine = viewer
    ? `left join rsvps r on r.event_id = e.id and r.user_id = ${sqlId('user', 'user')}
      left join saves s on s.event_id = e.id and s.user_id = ${sqlId('user', 'user')}`
    : '';
  return `select (select total from total), ${eventColumns}${viewer ? ', r.status as my_rsvp, s.user_id as saved' : ''}
    from page p join events e on e.id = p.id join event_counters c on c.event_id = e.id ${mine}
    order by ${order};`;
}
