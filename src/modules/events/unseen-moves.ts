/** Moves of an event that only the people who go may notice: those of the exact place within its public one. */
import { sql, type Transaction } from '#pg';
import { versionOfEvent } from './event-rules.ts';
import { exactPlaceOf } from './event-writes.ts';
import type { PlacedEvent, StoredFields } from './exact-place.ts';

/** Whether nothing differs that others see: at most the exact place, which the public one hides. */
export const changesUnseen = (before: PlacedEvent, { exactPlace, ...fields }: StoredFields): boolean =>
  before.exactPlace != null &&
  exactPlace != null &&
  (before.exactPlace.onlineUrl === null) === (exactPlace.onlineUrl === null) &&
  versionOfEvent(before) === versionOfEvent(fields);

/** Neither a version nor the change log tells of it: only the people who go may notice. */
export const moveUnseen = (
  tx: Transaction,
  { before, fields }: { before: PlacedEvent; fields: StoredFields },
): Promise<unknown> =>
  tx.query(
    sql`update events set exact_place = ${exactPlaceOf(fields.exactPlace ?? null)} where id = ${before.id}`,
  );
