/** Imports one entry: inserts an event, or updates the event of an earlier import. */
import type { ErrorObject } from 'ajv';
import type { Database } from '../../db/client.ts';
import { type Transaction, transaction } from '../../db/transaction.ts';
import { createBodyValidator } from '../../http/validation.ts';
import { violationOf } from '../../http/validation-messages.ts';
import { timeZoneAt, zoneAfterMove } from '../../lib/time-zones.ts';
import type { EventFields } from '../../modules/events/event-fields.ts';
import { applyChange, withDefaults } from '../../modules/events/event-rules.ts';
import { listImportedEvents, reserveKey, setImportedEvent } from '../../modules/events/imports.ts';
import type { EventRow } from '../../modules/events/present.ts';
import { findEventForUpdate, insertEvent, updateEvent } from '../../modules/events/repo.ts';
import { NewEvent } from '../../modules/events/schemas.ts';
import { lockAccount } from '../../modules/users/accounts.ts';
import { CommandError } from '../command/command-error.ts';
import type { EventTimes } from './entry-times.ts';
import type { Geocoder } from './geocoder.ts';
import type { CalendarEntry } from './parse-entry.ts';

export type ImportContext = {
  organizerId: string;
  /**
   * The category of entries without a known one. If undefined, the event keeps its category; a new one has
   * `other`.
   */
  category: string | undefined;
  /** Null if all entries have GEO. */
  geocoder: Geocoder | null;
};
type ImportResult = { result: 'added' | 'changed' | 'unchanged'; placedByName: boolean };
type EventContent = { fields: EventFields; placedByName: boolean };

/** The entry cannot be imported. The message is the reason, for the import report. */
export class EntryError extends Error {}

const isNewEvent = createBodyValidator().compile<NewEvent>(NewEvent);

/**
 * @param known the event of an earlier import, read without a lock; it is read again with a lock before a
 *   change
 * @throws EntryError if the entry cannot be imported; CommandError if the organizer has no active account
 */
export async function importEntry(
  db: Database,
  entry: CalendarEntry,
  known: EventRow | null,
  context: ImportContext,
): Promise<ImportResult> {
  const content = contentFor(entry, known, context);
  if (known && isSame(known, content.fields)) return { result: 'unchanged', placedByName: false };
  // Another transaction can insert or delete the event between the read and the lock. Then try again.
  for (let attempt = 0; attempt < 5; attempt++) {
    const result = await transaction(db, (tx) => tryImportEntry(tx, entry, context));
    if (result) return result;
  }
  throw new EntryError('was changed by other transactions in each of 5 attempts; import again');
}

/** @returns null if the event was deleted after its key was read */
async function tryImportEntry(
  tx: Transaction,
  entry: CalendarEntry,
  context: ImportContext,
): Promise<ImportResult | null> {
  const { organizerId } = context;
  const now = new Date();
  if (!(await lockAccount(tx, organizerId))) {
    throw new CommandError('The account of the organizer is suspended or deleted.');
  }
  if (await reserveKey(tx, organizerId, entry.key)) {
    const { fields, placedByName } = contentFor(entry, null, context);
    await setImportedEvent(
      tx,
      organizerId,
      entry.key,
      await insertEvent(tx, organizerId, fields, now, { isAnnounced: true }),
    );
    return { result: 'added', placedByName };
  }
  const known = (await listImportedEvents(tx, organizerId, [entry.key])).get(entry.key);
  const organizer = { id: organizerId, role: 'user' } as const;
  const before = known ? await findEventForUpdate(tx, known.id, organizer) : null;
  if (!before) return null;
  const { fields, placedByName } = contentFor(entry, before, context);
  if (isSame(before, fields)) return { result: 'unchanged', placedByName: false };
  await updateEvent(tx, before, fields, now);
  return { result: 'changed', placedByName };
}

/**
 * Returns the fields of the event, validated by the schema of POST /v1/events. Fields that the entry does not
 * set (price, capacity, cover …) keep the values of the existing event.
 * @throws EntryError
 */
function contentFor(entry: CalendarEntry, before: EventRow | null, context: ImportContext): EventContent {
  // Without GEO, the coordinates are looked up again only if the address changed, so manual corrections stay.
  const unmoved = before && before.address === entry.address ? before : null;
  const found = entry.geo || unmoved ? null : (context.geocoder?.find(entry.address) ?? null);
  const place = entry.geo ?? unmoved ?? found;
  if (!place) throw new EntryError(missingPlaceReason(entry));
  // Of an entry that names no zone: the zone of its place, or a zone that the organizer chose.
  const timezone = entry.timezone ?? (before ? zoneAfterMove(before, place) : timeZoneAt(place));
  const { startAt, endAt } = timesFor(entry, timezone);
  const body = {
    title: entry.title,
    description: entry.description,
    startAt: startAt.toISOString(),
    endAt: endAt.toISOString(),
    allDay: entry.allDay,
    timezone,
    location: {
      address: entry.address || `${place.lat}, ${place.lng}`,
      lat: place.lat,
      lng: place.lng,
      isExact: entry.geo ? true : (unmoved?.isExact ?? false),
    },
    category: entry.category ?? context.category ?? before?.category ?? 'other',
    visibility: visibilityFor(entry, before),
  };
  if (!isNewEvent(body)) throw new EntryError((isNewEvent.errors ?? []).map(formatError).join('; '));
  // The rules of new events apply to changed ones, too.
  const newFields = withDefaults(body);
  const fields = before ? applyChange(before, body) : newFields;
  const status = entry.status ?? before?.status ?? 'scheduled';
  return { fields: { ...fields, status }, placedByName: found !== null };
}

/** @throws EntryError */
function timesFor(entry: CalendarEntry, timezone: string): EventTimes {
  try {
    return entry.timesIn(timezone);
  } catch (error) {
    throw new EntryError((error as Error).message);
  }
}

const missingPlaceReason = ({ address }: CalendarEntry): string =>
  address
    ? `could not be placed: it has no GEO, and "${address}" contains no known place name`
    : 'has neither GEO nor LOCATION';

/** A public entry does not change an event that the organizer made unlisted. */
function visibilityFor({ visibility }: CalendarEntry, before: EventRow | null): EventRow['visibility'] {
  if (visibility === 'public' && before?.visibility === 'unlisted') return 'unlisted';
  return visibility ?? before?.visibility ?? 'public';
}

const formatError = (error: ErrorObject): string =>
  `${error.instancePath.slice(1).replaceAll('/', '.')} ${violationOf(error).message}`;

function isSame(before: EventRow, fields: EventFields): boolean {
  const keys = Object.keys(fields) as (keyof EventFields)[];
  return keys.every((key) => JSON.stringify(before[key]) === JSON.stringify(fields[key]));
}
