/**
 * SQL of requests to join events, and all dates of series. The transactions of writes must hold a lock on the counters of the events;
 * of series, the lock of the series, or one that answers share and the lock of the person.
 */
import { deleteRows, empty, insertRows, isOneOf, type Queryable, type Statement, sql, updateRows } from '#pg';
import type { OpenRequest, Rsvp } from '../../events/repo.ts';

/** Requests that were approved are in no list: their people have RSVPs. */
export type RequestStatus = OpenRequest | 'approved';

/** What decides about a further request. `refusedAt`: null unless the status is `refused`. */
export type ExistingRequest = { status: RequestStatus; refusedAt: Date | null };

export type RequestKey = { subjectId: string; userId: string };
const requestKey = { subjectId: 'uuid', userId: 'uuid' } as const;

/** The RSVP that a person asks for, as the columns of `rsvps`. */
export type AskedRsvp = { answer: Rsvp; extraGuests: number | null; isHidden: boolean | null };
export type NewRequest = RequestKey & AskedRsvp & { message: string | null };
export type RequestRow = NewRequest & ExistingRequest & { createdAt: Date; countedEventId: string | null };

const newRequestColumns = {
  ...requestKey,
  status: 'text',
  answer: 'text',
  extraGuests: 'smallint',
  isHidden: 'boolean',
  message: 'text',
  createdAt: 'timestamptz',
} as const;

/** Makes requests, or makes pending ones with the new content of those that the people have. */
export const upsertRequests = (rows: NewRequest[], now: Date): Statement => sql`
  ${insertRows(
    'requests as q',
    rows.map((row) => ({ ...row, status: 'pending', createdAt: now })),
    newRequestColumns,
  )} ${writeRequest()}`;

/** A request to join all dates of a series. `countedEventId`: the date at which the organizer is notified of it. */
type NewSeriesRequest = NewRequest & { countedEventId: string | null };

/** As `upsertRequests`. The transaction must hold the locks of the person and of the series. */
export const upsertSeriesRequest = (request: NewSeriesRequest, now: Date): Statement => sql`
  ${insertRows('requests as q', [{ ...request, status: 'pending', createdAt: now, isOfSeries: true }], {
    ...newRequestColumns,
    isOfSeries: 'boolean',
    countedEventId: 'uuid',
  })} ${writeRequest()}, counted_event_id = excluded.counted_event_id`;

const writeRequest = (): Statement => sql`
  on conflict (subject_id, user_id) do update set answer = excluded.answer, extra_guests = excluded.extra_guests,
    is_hidden = excluded.is_hidden, message = excluded.message, status = excluded.status, refused_at = null,
    created_at = case q.status when 'pending' then q.created_at else excluded.created_at end`;

export const deleteRequests = (keys: RequestKey[]): Statement => deleteRows('requests q', keys, requestKey);

/** Writes what the organizer decides about requests. */
export const writeStatus = (keys: RequestKey[], status: 'approved' | 'refused', now: Date): Statement =>
  updateRows(
    'requests q',
    keys,
    requestKey,
    {},
    sql`status = ${status}::text, refused_at = ${status === 'refused' ? now : null}::timestamptz`,
  );

const columns = (): Statement =>
  sql`q.subject_id, q.user_id, q.status, q.answer, q.extra_guests, q.is_hidden, q.message, q.created_at,
    q.refused_at, q.counted_event_id`;

/** Reads the requests of people, in any order, without the people who have none. */
export const findRequests = (tx: Queryable, subjectId: string, userIds: string[]): Promise<RequestRow[]> =>
  tx.query<RequestRow>(sql`
    select ${columns()} from requests q where q.subject_id = ${subjectId} and ${isOneOf(sql`q.user_id`, userIds)}`);

/**
 * Lists open requests, the oldest first.
 * @param options.after the request at the end of the previous page; null for the first page
 */
export const listRequests = (
  db: Queryable,
  subjectId: string,
  options: { status: OpenRequest | undefined; after: { at: Date; userId: string } | null; limit: number },
): Promise<RequestRow[]> =>
  db.query<RequestRow>(sql`
    select ${columns()} from requests q
    where q.subject_id = ${subjectId} and q.status <> 'approved'
      ${options.status ? sql`and q.status = ${options.status}` : empty}
      ${options.after ? sql`and (q.created_at, q.user_id) > (${options.after.at}, ${options.after.userId}::uuid)` : empty}
    order by q.created_at, q.user_id
    limit ${options.limit}`);

/** Erases what people wrote to organizers. */
export const eraseMessages = (keys: { eventId: string; userId: string }[]): Statement =>
  updateRows(
    'requests q',
    keys.map(({ eventId, userId }) => ({ subjectId: eventId, userId })),
    requestKey,
    {},
    sql`message = null`,
  );

/** The open requests of a person to some series, by the id of the series. */
export async function findOpenSeriesRequests(
  db: Queryable,
  seriesIds: string[],
  userId: string,
): Promise<Map<string, OpenRequest>> {
  if (seriesIds.length === 0) return new Map();
  const found = await db.query<{ subjectId: string; status: OpenRequest }>(sql`
    select subject_id, status from requests
    where ${isOneOf(sql`subject_id`, seriesIds)} and user_id = ${userId} and status <> 'approved'`);
  return new Map(found.map(({ subjectId, status }) => [subjectId, status]));
}
