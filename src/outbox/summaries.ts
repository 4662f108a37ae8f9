/**
 * Summaries: the notifications of organizers that count RSVPs, bookings and claims. An unread summary is a few columns
 * of a row that the write updates anyway, the counters of the event or the stock of the item, so it costs no row of its
 * own, no job and no lock. What was read is a row of `notifications`.
 */
import { inChunks, newId } from '#base';
import { type Queryable, raw, type Statement, sql, type Transaction } from '#pg';
import { type Level, reaches, type SummaryKind, summaries } from './kinds.ts';
import { insertPushes, type NewPush } from './pushes.ts';

/** The columns of a summary: its count, its id, and the person who caused it last. */
export const columnsOf = (kind: SummaryKind): [Statement, Statement, Statement] => [
  raw(`unread_${kind}`),
  raw(`${kind}_notification_id`),
  raw(`${kind}_person_id`),
];

/** What a row counts for an organizer. The id and the person have no meaning while nothing is unread. */
export type Summary = { unread: number; notificationId: string | null; personId: string | null };

/** The select list of a `Summary`. Read it under the lock of the row. */
export function selectSummary(kind: SummaryKind, row: Statement): Statement {
  const [unread, id, personId] = columnsOf(kind);
  return sql`${row}.${unread} as unread, ${row}.${id} as notification_id, ${row}.${personId} as person_id`;
}

type SummaryEvent = { eventId: string; organizerId: string };

/** What decides whether organizers are notified of what people do, and whether the notification is pushed. */
export type SummaryState = {
  /**
   * Whether the organizer is notified of what the person does. Not of what they do themselves, nor across a block, nor
   * of kinds that they switched off.
   */
  isNotified(event: SummaryEvent, personId: string): boolean;
  /** The push of a notification; null if the organizer has no browsers to which the kind is pushed. */
  pushOf(event: SummaryEvent, notificationId: string): NewPush | null;
};

/**
 * Reads the state for pairs of event and person. The statement finds the organizers by itself, so that it can be sent
 * together with the statements that lock the events. Blocks are read by their key.
 */
export async function listSummaryState(
  db: Queryable,
  kind: SummaryKind,
  pairs: { eventId: string; userId: string }[],
): Promise<SummaryState> {
  return (await listSummaryStates(db, [kind], pairs))[kind];
}

/** As `listSummaryState`, for several kinds of the same people. */
export async function listSummaryStates<K extends SummaryKind>(
  db: Queryable,
  kinds: K[],
  pairs: { eventId: string; userId: string }[],
): Promise<Record<K, SummaryState>> {
  const eventIds = pairs.map(({ eventId }) => eventId);
  const rows = await db.query<StateRow>(sql`
    with organizers as materialized (
      select id as event_id, organizer_id from events where id = any(${[...new Set(eventIds)]}::uuid[])
    )
    select o.event_id, r.other_id as blocked_id, null::text as kind, null::text as level
    from organizers o
    join unnest(${eventIds}::uuid[], ${pairs.map(({ userId }) => userId)}::uuid[]) k (event_id, person_id)
      on k.event_id = o.event_id
    join relations r on r.user_id = o.organizer_id and r.other_id = k.person_id
    where r.blocks or r.blocked_by
    union all
    select o.event_id, null, t.kind, t.level from organizers o
    join notification_settings t on t.user_id = o.organizer_id where t.kind = any(${kinds}::text[])
    union all
    select distinct o.event_id, null::uuid, null, null from organizers o
    join push_subscriptions p on p.user_id = o.organizer_id`);
  return Object.fromEntries(kinds.map((kind) => [kind, toSummaryState(kind, rows)])) as Record<
    K,
    SummaryState
  >;
}

/** A block, a setting of an organizer, or an event whose organizer has a browser to push to. */
type StateRow = { eventId: string; blockedId: string | null; kind: SummaryKind | null; level: Level | null };

function toSummaryState(kind: SummaryKind, rows: StateRow[]): SummaryState {
  const blocked = new Set(rows.flatMap((row) => (row.blockedId ? [row.eventId + row.blockedId] : [])));
  const levels = new Map(
    rows.flatMap((row) => (row.level && row.kind === kind ? [[row.eventId, row.level] as const] : [])),
  );
  const withBrowsers = new Set(rows.flatMap((row) => ((row.blockedId ?? row.level) ? [] : [row.eventId])));
  return {
    isNotified: ({ eventId, organizerId }, personId) =>
      organizerId !== personId &&
      reaches(kind, levels.get(eventId), 'inbox') &&
      !blocked.has(eventId + personId),
    pushOf: ({ eventId, organizerId: userId }, id) =>
      withBrowsers.has(eventId) && reaches(kind, levels.get(eventId), 'push')
        ? { userId, id, counted: { kind, subjectId: eventId, isFirst: sql`true` } }
        : null,
  };
}

/** Something new (1), or something that is taken back (-1). */
export type SummaryChange = { personId: string; amount: number };

/** The summary of a row after a change. */
export type NewSummary = Summary & {
  /** The organizer, if the row begins or continues to count; null leaves the column as it is. */
  unreadOf: string | null;
  /** Of what a summary counts, only the first is pushed until it is read. Null for others. */
  push: NewPush | null;
};

/**
 * The summary of a row after changes, of which those count that the organizer is notified of. What is taken back is
 * subtracted from what is unread, down to 0: it may have been read. A person who takes it back is no longer named.
 * @param before the event, and the summary of the locked row
 */
export function nextSummary(
  before: SummaryEvent & Summary,
  changes: SummaryChange[],
  state: SummaryState,
): NewSummary {
  const counted = changes.filter(({ personId }) => state.isNotified(before, personId));
  const amount = counted.reduce((sum, change) => sum + change.amount, 0);
  const newest = amount > 0 ? counted.find((change) => change.amount > 0) : undefined;
  const isGone = changes.some((change) => change.amount < 0 && change.personId === before.personId);
  const unread = Math.max(before.unread + amount, 0);
  if (!newest) {
    const personId = isGone ? null : before.personId;
    return { unread, notificationId: before.notificationId, personId, unreadOf: null, push: null };
  }
  const notificationId = newId();
  const push = before.unread === 0 ? state.pushOf(before, notificationId) : null;
  return { unread, notificationId, personId: newest.personId, unreadOf: before.organizerId, push };
}

/** The summary of a row that a write changes for another reason. */
export const unchangedSummary = ({ unread, notificationId, personId }: Summary): NewSummary => ({
  unread,
  notificationId,
  personId,
  unreadOf: null,
  push: null,
});

/**
 * The assignments of an UPDATE that writes the summary of `row`, by the columns `summaryTypes`. `unread_of` stays
 * set, so that only the first change of a row changes an index.
 */
export function writeSummary(kind: SummaryKind, row: Statement, next: Statement): Statement {
  const [unread, id, personId] = columnsOf(kind);
  return sql`
    unread_of = coalesce(${next}.unread_of, ${row}.unread_of), ${unread} = ${next}.unread,
    ${id} = ${next}.notification_id, ${personId} = ${next}.person_id`;
}

/** The types of the columns of a `NewSummary`. */
export const summaryTypes = {
  unreadOf: 'uuid',
  unread: 'int',
  notificationId: 'uuid',
  personId: 'uuid',
} as const;

/** The statements that store the pushes of summaries. */
export const insertSummaryPushes = (moves: { summary: NewSummary }[], now: Date): Statement[] =>
  insertPushes(
    moves.flatMap(({ summary: { push } }) => push ?? []),
    now,
  );

/**
 * Writes locked rows after what a person did there is taken back.
 * @param moves one for each row, with its key: `n` is the number of the item. `isUncounted`: the organizer was not notified of it
 * @param write the statement that writes the rows of moves with their summaries
 */
export async function takeBack<M extends { eventId: string; n?: number; isUncounted?: boolean }>(
  tx: Transaction,
  kind: SummaryKind,
  personId: string,
  moves: M[],
  write: (moves: (M & { summary: NewSummary })[]) => Statement,
): Promise<void> {
  const n = summaries[kind].counter === 'item_stock' ? sql`s.n` : sql`null::int as n`;
  const keyOf = (key: { eventId: string; n?: number | null }) => `${key.eventId} ${key.n ?? ''}`;
  for (const some of inChunks(moves)) {
    const pairs = some.map(({ eventId }) => ({ eventId, userId: personId }));
    const [state, rows] = await Promise.all([
      listSummaryState(tx, kind, pairs),
      tx.query<SummaryEvent & Summary & { n: number | null }>(sql`
        select s.event_id, ${n}, e.organizer_id, ${selectSummary(kind, sql`s`)}
        from ${raw(summaries[kind].counter)} s join events e on e.id = s.event_id
        where s.event_id = any(${some.map(({ eventId }) => eventId)}::uuid[])`),
    ]);
    const before = new Map(rows.map((row) => [keyOf(row), row]));
    const written = some.flatMap((move) => {
      const row = before.get(keyOf(move));
      const changes = move.isUncounted ? [] : [{ personId, amount: -1 }];
      return row ? [{ ...move, summary: nextSummary(row, changes, state) }] : [];
    });
    await tx.execute(write(written));
  }
}
