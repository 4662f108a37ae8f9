/**
 * Rows for each table, built by SQL in the order in which an installation gets them, with all indexes in place: an index
 * that is created afterwards is up to a third smaller than one that has grown.
 */

import type { SqlConnection } from '../../test/support/sql-tag.ts';
import { eventTable, planEvents } from '../seed/events.ts';
import { copyInto } from '../seed/load.ts';

/** `tables`: measured together. `rowsPerUnit`: the rows of the first table for each unit of `count`; default: 1. */
export type Subject = {
  name: string;
  rowsPerUnit?: number;
  tables: string[];
  fill(sql: SqlConnection, count: number): Promise<void>;
};

/** Functions that give ids by number. They ascend with the number, as ids that begin with the time do. */
export const functions = `
  create or replace function id_at(t timestamptz, salt text) returns uuid language sql immutable as $$
    select (lpad(to_hex((extract(epoch from t) * 1000)::bigint), 12, '0') || '7' || substr(md5(salt), 1, 3)
      || '8' || substr(md5(salt), 4, 15))::uuid $$;
  create or replace function person(n bigint) returns uuid language sql immutable as $$
    select id_at('2024-01-01'::timestamptz + n * interval '1 second', 'p' || n) $$;
  create or replace function event(n bigint) returns uuid language sql immutable as $$
    select id_at('2024-01-01'::timestamptz + n * interval '10 second', 'e' || n) $$;
  create or replace function time_of(n bigint, count bigint) returns timestamptz language sql immutable as $$
    select '2024-01-01'::timestamptz + (n::float8 / count) * interval '900 days' $$;
  create or replace function pick(seed text, count bigint) returns bigint language sql immutable as $$
    select 1 + (('x' || substr(md5(seed), 1, 12))::bit(48)::bigint % greatest(count, 1)) $$;
  create or replace function words(seed text, count int) returns text language sql immutable as $$
    select string_agg((array['Ada','Björn','Chen','Daniel','Elena','Freya','Grace','Hugo','Ingrid','Jonas','Karin','Lars',
      'Maja','Nadia','Olga','Pedro','Rosa','Sofia','Thomas','Uma','Viktor','Wei','Yuki','Zoë','Abbott','Berg','Castro','Dahl',
      'Evans','Fischer','Gomez','Hansen','Ito','Jansen','Khan','Larsen','Moreau','Novák','Ortiz','Patel','Quinn','Ricci',
      'Silva','Tanaka','Virtanen','Weber','Yamamoto','Zhang'])[pick(seed || i, 48)], ' ') from generate_series(1, count) i $$`;

const chunk = 250_000;

/** Runs the statement for the rows 1 to `count`, `chunk` at a time; in it, $1, $2 and $3 are the bounds and the count. */
function inChunks(...statements: string[]): Subject['fill'] {
  return async (sql, count) => {
    for (let from = 1; from <= count; from += chunk) {
      const to = Math.min(from + chunk - 1, count);
      for (const statement of statements) {
        const text = statement
          .replaceAll('$1', `${from}`)
          .replaceAll('$2', `${to}`)
          .replaceAll('$3', `${count}`);
        await sql.text(text);
      }
    }
  };
}

const rows = 'from generate_series($1::bigint, $2) n';
/** The event of row n, with `each` rows for an event: most rows of an event arrive close together. */
const eventOfRow = (each: number) =>
  `event(1 + (n * 0.9 / ${each})::bigint + pick('s' || n, greatest($3 / ${each} / 10, 1)::bigint))`;
const personOfRow = (each: number) => `person(pick('u' || n, $3 / ${each}))`;

export const subjects: Subject[] = [
  {
    name: 'people',
    tables: ['users', 'contacts', 'usernames', 'user_counters', 'sessions'],
    fill: inChunks(
      `insert into users (id, phone, name, username, bio, city, is_private, role, search, created_at)
        select person(n), '+4670' || n, words('n' || n, 2), 'user.name_' || n, words('b' || n, 6), words('c' || n, 1), false,
          'user', ' ' || lower(words('n' || n, 2)) || ' user.name_' || n, time_of(n, $3) ${rows}`,
      `insert into contacts select '+4670' || n, person(n) ${rows}`,
      `insert into usernames select 'user.name_' || n, person(n) ${rows}`,
      `insert into user_counters select person(n), 0, 0, 0 ${rows}`,
      `insert into sessions (user_id, id, access_hash, refresh_hash, refreshed_at, access_expires_at, refresh_expires_at,
          ends_at, created_at, user_agent)
        select person(n), id_at(time_of(n, $3), 's' || n), sha256(('a' || n)::bytea), sha256(('r' || n)::bytea),
          time_of(n, $3), now(), now(), now(), time_of(n, $3), repeat('Mozilla/5.0 ', 9) ${rows}`,
    ),
  },
  {
    name: 'events',
    tables: ['events', 'event_counters'],
    async fill(sql, count) {
      const day = new Date(Math.floor(Date.now() / 86_400_000) * 86_400_000);
      await copyInto(sql, eventTable(planEvents(count - 2, day)), () => {});
      await sql.text(
        `insert into event_counters (event_id, rsvp_count, going_count, last_item) select id, 0, 0, 0 from events`,
      );
    },
  },
  {
    name: 'rsvps',
    tables: ['rsvps'],
    fill: inChunks(`insert into rsvps (event_id, user_id, status, created_at)
      select ${eventOfRow(10)}, ${personOfRow(5)}, case when n % 3 = 0 then 'interested' else 'going' end, time_of(n, $3)
      ${rows} on conflict do nothing`),
  },
  {
    name: 'saves',
    tables: ['saves'],
    fill: inChunks(`insert into saves (event_id, user_id, created_at)
      select ${eventOfRow(10)}, ${personOfRow(5)}, time_of(n, $3) ${rows} on conflict do nothing`),
  },
  {
    name: 'items',
    tables: ['items', 'item_stock'],
    fill: inChunks(
      `insert into items (event_id, n, kind, title, emoji, created_at)
        select event(1 + n / 8), n % 8, 'bring', words('i' || n, 3), '🍲', time_of(n, $3) ${rows}`,
      `insert into item_stock (event_id, n, needed, claimed, unread_of, unread_claims)
        select event(1 + n / 8), n % 8, 4, 1, person(pick('o' || n / 8, $3 / 80)), 0 ${rows}`,
    ),
  },
  {
    name: 'claims',
    tables: ['claims'],
    fill: inChunks(`insert into claims (event_id, n, user_id, id, quantity, created_at)
      select ${eventOfRow(8)}, n % 8, ${personOfRow(5)}, id_at(time_of(n, $3), 'c' || n), 1, time_of(n, $3)
      ${rows} on conflict do nothing`),
  },
  {
    name: 'bookings',
    tables: ['bookings'],
    fill: inChunks(`insert into bookings (event_id, user_id, id, n, seats, status, created_at)
      select ${eventOfRow(20)}, ${personOfRow(5)}, id_at(time_of(n, $3), 'b' || n), n, 1, 'booked', time_of(n, $3)
      ${rows} on conflict do nothing`),
  },
  {
    name: 'follows',
    rowsPerUnit: 2,
    tables: ['relations'],
    fill: inChunks(`insert into relations (user_id, other_id, follows, followed_by, blocks, blocked_by)
      select case side when 1 then a else b end, case side when 1 then b else a end, side = 1, side = 2, false, false
      from (select ${personOfRow(10)} as a, person(pick('f' || n, $3 / 10)) as b ${rows}) p
      cross join generate_series(1, 2) side where a <> b on conflict do nothing`),
  },
  {
    name: 'messages',
    rowsPerUnit: 2,
    tables: ['messages', 'conversations'],
    fill: inChunks(
      `create temp table sent on commit drop as
        select person(pick('u' || n % ($3 / 20), $3 / 100)) as a, person(pick('v' || n % ($3 / 20), $3 / 100)) as b,
          id_at(time_of(n, $3), 'm' || n) as id, time_of(n, $3) as at, n ${rows};
      delete from sent where a = b;
      insert into conversations (user_id, other_id, last_id, unread_count)
        select distinct on (1, 2) user_id, other_id, id, 0 from sent
        cross join lateral (values (a, b), (b, a)) side (user_id, other_id) order by 1, 2, id desc
        on conflict (user_id, other_id) do update set last_id = excluded.last_id;
      insert into messages (user_id, other_id, id, is_own, text, created_at)
        select user_id, other_id, id, is_own, words('t' || n, 4 + (n % 13)::int), at from sent
        cross join lateral (values (a, b, true), (b, a, false)) side (user_id, other_id, is_own) order by n`,
    ),
  },
  {
    name: 'notifications',
    tables: ['notifications'],
    fill: inChunks(`insert into notifications (user_id, id, kind, subject_id, person_id, count, created_at, read_at)
      select ${personOfRow(10)}, id_at(time_of(n, $3), 'n' || n), 'follower', person(pick('s' || n, $3 / 10)),
        person(pick('s' || n, $3 / 10)), 1, time_of(n, $3), case when n % 4 > 0 then time_of(n, $3) end
      ${rows} on conflict do nothing`),
  },
  {
    name: 'audit',
    tables: ['audit'],
    fill: inChunks(`insert into audit (who, id, at, what, user_id, address, detail)
      select sha256(pick('u' || n, $3 / 3)::text::bytea), id_at(time_of(n, $3), 'a' || n), time_of(n, $3), 'signed_in',
        person(pick('u' || n, $3 / 3)), '192.0.2.0/24', '' ${rows}`),
  },
];
