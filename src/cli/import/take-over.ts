/** One entry becomes an event, or changes the event that it became before. */
import type { ErrorObject } from 'ajv';
import type { Database } from '../../db/client.ts';
import { type Transaction, transaction } from '../../db/transaction.ts';
import { createBodyValidator } from '../../http/validation.ts';
import { isUtc, type Place, timeZoneAt, zoneAfterMove } from '../../lib/time-zones.ts';
import { type EventFields, withDefaults } from '../../modules/events/event-fields.ts';
import type { EventRow } from '../../modules/events/present.ts';
import { findEventForUpdate, insertEvent, updateEvent } from '../../modules/events/repo.ts';
import { NewEvent } from '../../modules/events/schemas.ts';
import { CommandError } from '../world.ts';
import type { Entry } from './entry.ts';
import type { Gazetteer } from './gazetteer.ts';
import { holdAccount, listImported, reserveKey, setImported } from './queries.ts';
import type { Times } from './times.ts';

export type Wishes = {
  organizerId: string;
  /** Where CATEGORIES name none of ours; undefined: what the event has, and `other` for a new one. */
  category: string | undefined;
  /** Null when no entry needs it. */
  gazetteer: Gazetteer | null;
};
export type Outcome = { result: 'added' | 'changed' | 'unchanged'; placedByName: boolean };
type EventQuery = { fields: EventFields; placedByName: boolean };

/** The entry cannot become an event; the message says why. */
export class Refusal extends Error {}

const isNewEvent = createBodyValidator().compile<NewEvent>(NewEvent);

/**
 * @param known the event of an earlier import, as last seen; it is looked at again under lock before it is changed
 * @throws Refusal
 */
export async function takeOver(
  db: Database,
  entry: Entry,
  known: EventRow | null,
  commands: Wishes,
): Promise<Outcome> {
  const eventQuery = wantedFields(entry, known, commands);
  if (known && isSame(known, eventQuery.fields)) return { result: 'unchanged', placedByName: false };
  // Between a look and a lock the event may be made, changed or deleted by others; then it is looked at again.
  for (let round = 0; round < 5; round++) {
    const outcome = await transaction(db, (tx) => tryToTakeOver(tx, entry, commands));
    if (outcome) return outcome;
  }
  throw new Refusal('is being changed by others all the time; import again');
}

async function tryToTakeOver(tx: Transaction, entry: Entry, commands: Wishes): Promise<Outcome | null> {
  const { organizerId } = commands;
  const now = new Date();
  if (!(await holdAccount(tx, organizerId))) {
    throw new CommandError('The account of the organizer is suspended, or was deleted in the meantime.');
  }
  if (await reserveKey(tx, organizerId, entry.key)) {
    const { fields, placedByName } = wantedFields(entry, null, commands);
    await setImported(tx, organizerId, entry.key, await insertEvent(tx, organizerId, fields, now));
    return { result: 'added', placedByName };
  }
  const known = (await listImported(tx, organizerId, [entry.key])).get(entry.key);
  const organizer = { id: organizerId, role: 'user' } as const;
  const before = known ? await findEventForUpdate(tx, known.id, organizer) : null;
  if (!before) return null;
  const { fields, placedByName } = wantedFields(entry, before, commands);
  if (isSame(before, fields)) return { result: 'unchanged', placedByName: false };
  await updateEvent(tx, before, fields, now);
  return { result: 'changed', placedByName };
}

/**
 * What the entry says, by the rules of POST /v1/events; what it does not say stays as the event has it, so that what
 * the organizer set by hand (price, capacity, cover …) outlives the next import.
 * @throws Refusal
 */
function wantedFields(entry: Entry, before: EventRow | null, commands: Wishes): EventQuery {
  // Without GEO the place follows from the address, once: a correction by hand is kept until the address changes.
  const kept = before && before.address === entry.address ? before : null;
  const found = entry.geo || kept ? null : (commands.gazetteer?.find(entry.address) ?? null);
  const place = entry.geo ?? kept ?? found;
  if (!place) throw new Refusal(whyNowhere(entry));
  const timezone = entry.timezone ?? zoneOf(entry, before, place);
  const { startAt, endAt } = timesOf(entry, timezone);
  const body = {
    title: entry.title,
    description: entry.description,
    startAt: startAt.toISOString(),
    endAt: endAt.toISOString(),
    allDay: entry.allDay,
    timezone,
    location: { address: entry.address || `${place.lat}, ${place.lng}`, lat: place.lat, lng: place.lng },
    category: entry.category ?? commands.category ?? before?.category ?? 'other',
    visibility: visibilityOf(entry, before),
  };
  if (!isNewEvent(body)) throw new Refusal((isNewEvent.errors ?? []).map(inWords).join('; '));
  const fields = withDefaults(body);
  return {
    fields: {
      ...fields,
      ...(before && keptFields(before)),
      status: entry.status ?? before?.status ?? 'scheduled',
    },
    placedByName: found !== null,
  };
}

/**
 * The zone of an entry that names none is that of its place. A zone that the organizer chose stays. UTC was not chosen:
 * earlier versions stored it for such entries, and stored dates as times, so these events are corrected.
 */
function zoneOf(entry: Entry, before: EventRow | null, place: Place): string {
  const isCorrect = before && !isUtc(before.timezone) && before.allDay === entry.allDay;
  return isCorrect ? zoneAfterMove(before, place) : timeZoneAt(place);
}

/** @throws Refusal */
function timesOf(entry: Entry, timezone: string): Times {
  try {
    return entry.timesIn(timezone);
  } catch (error) {
    throw new Refusal((error as Error).message);
  }
}

const whyNowhere = ({ address }: Entry): string =>
  address
    ? `could not be placed: it has no GEO, and "${address}" names no place that we know`
    : 'has neither GEO nor LOCATION';

/** A public entry does not list what the organizer made unlisted. */
function visibilityOf({ visibility }: Entry, before: EventRow | null): EventRow['visibility'] {
  if (visibility === 'public' && before?.visibility === 'unlisted') return 'unlisted';
  return visibility ?? before?.visibility ?? 'public';
}

const keptFields = (
  before: EventRow,
): Pick<
  EventFields,
  'coverUrl' | 'price' | 'isPriceKnown' | 'currency' | 'capacity' | 'template' | 'enabledModules'
> => ({
  coverUrl: before.coverUrl,
  price: before.price,
  isPriceKnown: before.isPriceKnown,
  currency: before.currency,
  capacity: before.capacity,
  template: before.template,
  enabledModules: before.enabledModules,
});

const inWords = ({ instancePath, message }: ErrorObject): string =>
  `${instancePath.slice(1).replaceAll('/', '.')} ${message}`;

function isSame(before: EventRow, fields: EventFields): boolean {
  const keys = Object.keys(fields) as (keyof EventFields)[];
  return keys.every((key) => JSON.stringify(before[key]) === JSON.stringify(fields[key]));
}
