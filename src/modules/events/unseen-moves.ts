/** Moves of an event that only the people who go may notice: those of the exact place within its public one. */
import { type Statement, sql, type Transaction } from '#pg';
import { type ChangeMessage, storeNotices } from '../../outbox/notices.ts';
import { noticeOf, versionOfEvent } from './event-rules.ts';
import type { ExactPlace, PlacedEvent, StoredFields } from './exact-place.ts';

/** Whether only the exact place differs, which the public one hides. */
export const movesUnseen = (before: PlacedEvent, { exactPlace, ...fields }: StoredFields): boolean =>
  before.exactPlace != null &&
  exactPlace != null &&
  before.exactPlace.moves !== exactPlace.moves &&
  (before.exactPlace.onlineUrl === null) === (exactPlace.onlineUrl === null) &&
  versionOfEvent(before) === versionOfEvent(fields);

/** Neither a version nor the change log tells of it: only the people who go may notice. */
export async function moveUnseen(
  tx: Transaction,
  { before, fields }: { before: PlacedEvent; fields: StoredFields },
  now: Date,
  message: ChangeMessage | null,
): Promise<void> {
  await tx.query(
    sql`update events set exact_place = ${exactPlaceOf(fields.exactPlace ?? null)} where id = ${before.id}`,
  );
  const after = { ...fields, hidden: before.hidden };
  const kind = noticeOf(before, after, now);
  const notice = { eventId: before.id, before, after, message, isOnlyForGoing: true };
  if (kind) await storeNotices(tx, [{ ...notice, kind }], now);
}

export const exactPlaceOf = (place: ExactPlace | null): Statement =>
  sql`${place && JSON.stringify(place)}::jsonb`;
