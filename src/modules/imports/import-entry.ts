/** Imports one entry: inserts an event, or updates the event of an earlier import. */
import type { ErrorObject } from 'ajv';
import { type Database, type Transaction, transaction } from '#pg';
import { createBodyValidator } from '../../http/validation.ts';
import { violationOf } from '../../http/validation-messages.ts';
import { timeZoneAt, zoneAfterMove } from '../../lib/time-zones.ts';
import { lockAccount } from '../accounts/accounts.ts';
import type { EventFields } from '../events/event-fields.ts';
import { applyChange, withDefaults } from '../events/event-rules.ts';
import { type ImportedEvent, listImportedEvents, reserveKey, setImportedEvent } from '../events/imports.ts';
import { insertEvent } from '../events/insert-events.ts';
import type { EventRow } from '../events/present.ts';
import { findEventForUpdate } from '../events/repo.ts';
import { NewEvent } from '../events/schemas.ts';
import { updateEvent } from '../events/update-events.ts';
import { isSameTime } from '../places/address/zone-fit.ts';
import type { ChosenEntry } from './choose-dates.ts';
import { EntryError } from './entry-error.ts';
import { isAllDay } from './entry-times.ts';
import type { Calendar } from './parse-calendar.ts';
import { timesOf } from './parse-entry.ts';
import type { EntryPlace } from './place-entries.ts';

export type ImportContext = {
  organizerId: string;
  calendar: Calendar;
  /**
   * The category of entries without a known one. If undefined, the event keeps its category; a new one has
   * `other`.
   */
  category: string | undefined;
};
export type PlacedEntry = { entry: ChosenEntry; place: EntryPlace; key: string };
/** `by`: what the place of an added or changed event comes from; null for an event that stays where it is. */
export type ImportResult = {
  result: 'added' | 'changed' | 'unchanged';
  by: EntryPlace['by'] | null;
  /** What was changed to make an event of the entry. */
  mended: string[];
};
type EventContent = { fields: EventFields } & Omit<ImportResult, 'result'>;

/** The account of the organizer is suspended or deleted. */
export class OrganizerError extends Error {}

const isNewEvent = createBodyValidator().compile<NewEvent>(NewEvent);
const unchanged: ImportResult = { result: 'unchanged', by: null, mended: [] };

/**
 * @param known the event of an earlier import, read without a lock; it is read again with a lock before a
 *   change
 * @throws EntryError if the entry cannot be imported; OrganizerError if the organizer has no active account
 */
export async function importEntry(
  db: Database,
  placed: PlacedEntry,
  known: ImportedEvent | null,
  context: ImportContext,
): Promise<ImportResult> {
  if (!known && isRemoval(placed, context)) return unchanged;
  const content = contentFor(placed, known, context);
  if (known && isSame(known.event, content.fields)) return unchanged;
  // Another transaction can insert or delete the event between the read and the lock. Then try again.
  for (let attempt = 0; attempt < 5; attempt++) {
    const result = await transaction(db, (tx) => tryImportEntry(tx, placed, context));
    if (result) return result;
  }
  throw new EntryError('broken', 'was changed by other transactions in each of 5 attempts; import again');
}

/** A cancellation of what was never imported adds nothing. */
const isRemoval = ({ entry }: PlacedEntry, { calendar }: ImportContext): boolean =>
  entry.isRemoval || calendar.isCancelling;

/** @returns null if the event was deleted after its key was read */
async function tryImportEntry(
  tx: Transaction,
  placed: PlacedEntry,
  context: ImportContext,
): Promise<ImportResult | null> {
  const { organizerId } = context;
  const { key } = placed;
  const now = new Date();
  if (!(await lockAccount(tx, organizerId)))
    throw new OrganizerError('The account of the organizer is suspended or deleted.');
  if (!isRemoval(placed, context) && (await reserveKey(tx, organizerId, key))) {
    const { fields, ...how } = contentFor(placed, null, context);
    const eventId = await insertEvent(tx, organizerId, fields, now, { isAnnounced: true });
    await setImportedEvent(tx, organizerId, key, { eventId, lacksPlace: how.by === 'none' });
    return { result: 'added', ...how };
  }
  const known = (await listImportedEvents(tx, organizerId, [key])).get(key);
  const organizer = { id: organizerId, role: 'user' } as const;
  const before = known ? await findEventForUpdate(tx, known.event.id, organizer) : null;
  if (!known || !before) return isRemoval(placed, context) ? unchanged : null;
  const { fields, ...how } = contentFor(placed, { ...known, event: before }, context);
  if (isSame(before, fields)) return unchanged;
  await updateEvent(tx, { before, fields }, now);
  if (known.lacksPlace && how.by !== null)
    await setImportedEvent(tx, organizerId, key, { eventId: before.id, lacksPlace: how.by === 'none' });
  return { result: 'changed', ...how };
}

/**
 * Returns the fields of the event, validated by the schema of POST /v1/events. Fields that the entry does not
 * set (price, capacity, cover …) keep the values of the existing event.
 * @throws EntryError
 */
function contentFor(
  { entry, place }: PlacedEntry,
  known: ImportedEvent | null,
  context: ImportContext,
): EventContent {
  const before = known?.event ?? null;
  // A cancellation says nothing else: it may be older than what is imported, and it may lack fields.
  if (before && context.calendar.isCancelling)
    return { fields: { ...before, status: 'cancelled' }, by: null, mended: [] };
  const isWaiting = known !== null && isWaitingForPlace(known, place);
  // What is entered here decides where an event is that hides its address.
  const keepsPlace = before?.isAddressHidden === true;
  const stays = before !== null && (keepsPlace || (!isWaiting && staysWhereItIs(entry, before)));
  const where = stays ? before : place;
  const timezone = zoneFor(entry, where, before);
  const { startAt, endAt, allDay, mended } = timesOf(entry.period, timezone, context.calendar);
  const body = {
    title: entry.title,
    description: entry.description,
    startAt: startAt.toISOString(),
    endAt: endAt.toISOString(),
    allDay,
    timezone,
    location: {
      address: (!keepsPlace && entry.address) || (stays ? before.address : place.address),
      lat: where.lat,
      lng: where.lng,
      isExact: stays ? before.isExact : place.by === 'geo',
    },
    category: entry.category ?? context.category ?? before?.category ?? 'other',
    ...(keepsPlace && { addressVisibility: before.addressVisibility }),
    visibility: !stays && place.by === 'none' ? 'private' : visibilityFor(entry, isWaiting ? null : before),
  };
  if (!isNewEvent(body)) throw new EntryError('field', (isNewEvent.errors ?? []).map(formatError).join('; '));
  // The rules of new events apply to changed ones, too.
  const newFields = withDefaults(body);
  const fields = before ? applyChange(withDeadlineBefore(before, endAt), body) : newFields;
  const status = entry.status ?? before?.status ?? 'scheduled';
  return { fields: { ...fields, status }, by: stays ? null : place.by, mended };
}

/** A calendar knows nothing of the deadline for answers, which ends with the event at the latest. */
const withDeadlineBefore = (before: EventRow, endAt: Date): EventRow =>
  before.rsvpUntil && before.rsvpUntil > endAt ? { ...before, rsvpUntil: endAt } : before;

/** Without GEO, an event stays where it is while its address is the same: its organizer may have moved it. */
const staysWhereItIs = (entry: ChosenEntry, before: EventRow): boolean =>
  !entry.geo && (entry.address === '' || before.address === entry.address);

/** Whether the place of a draft is known now, and its organizer has neither moved nor published it. */
const isWaitingForPlace = ({ event, lacksPlace }: ImportedEvent, { by, draftAt }: EntryPlace): boolean =>
  lacksPlace &&
  by !== 'none' &&
  event.visibility === 'private' &&
  event.lat === draftAt.lat &&
  event.lng === draftAt.lng;

/**
 * The zone that the entry names. Of several, or of none: that of its place, if its clocks show the same time, or a zone
 * that the organizer chose. Dates are those of the place, whatever the zone of the calendar.
 */
function zoneFor(
  { timezone, zones: [first], period }: ChosenEntry,
  where: { lat: number; lng: number },
  before: EventRow | null,
): string {
  const zone = before ? zoneAfterMove(before, where) : timeZoneAt(where);
  if (isAllDay(period)) return zone;
  if (timezone !== null) return timezone;
  return first === undefined || isSameTime(zone, first) ? zone : first;
}

/** A public entry does not change an event that the organizer made unlisted. */
function visibilityFor({ visibility }: ChosenEntry, before: EventRow | null): EventRow['visibility'] {
  if (visibility === 'public' && before?.visibility === 'unlisted') return 'unlisted';
  return visibility ?? before?.visibility ?? 'public';
}

const formatError = (error: ErrorObject): string =>
  `${error.instancePath.slice(1).replaceAll('/', '.')} ${violationOf(error).message}`;

function isSame(before: EventRow, fields: EventFields): boolean {
  const keys = Object.keys(fields) as (keyof EventFields)[];
  return keys.every((key) => JSON.stringify(before[key]) === JSON.stringify(fields[key]));
}
