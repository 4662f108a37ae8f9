/** Changes several occurrences of a series, and what later ones will be, in one transaction: a refusal for one refuses all. */
import type { FastifyRequest } from 'fastify';
import { sql, type Transaction } from '#pg';
import { requireMatch } from '../../../http/conditional.ts';
import type { Caller } from '../../../identity/caller.ts';
import { invalid, Problem } from '../../../lib/errors.ts';
import type { ChangeMessage } from '../../../outbox/notices.ts';
import type { EventFieldName, EventFields } from '../event-fields.ts';
import { applyChange, noticeOf, requireCapacity } from '../event-rules.ts';
import type { EventChange } from '../schemas.ts';
import { versionAsEntered } from '../show-places.ts';
import { type EventUpdate, updateEvents } from '../update-events.ts';
import { hasDoubledDates, type MovedSchedule, moveSchedule } from './move-schedule.ts';
import { lockOccurrences, lockSeriesOf, type OccurrenceRow } from './occurrences.ts';
import { differsIn, groupOf, namedIn, ownsGroupOf, withoutOwned } from './own-fields.ts';
import { planOf } from './planned-dates.ts';
import { insertSeries, type Series, type SeriesFields, updateSeries } from './repo.ts';
import {
  clockBetween,
  formatDate,
  instantOf,
  type LocalTime,
  localTime,
  readDate,
  requireNoOverlap,
  timesOf,
} from './schedule.ts';
import type { Scope } from './scopes.ts';
import { copyPeople } from './series-rsvps.ts';
import { splitSeries } from './split.ts';

export type OccurrencesChange = {
  id: string;
  scope: Exclude<Scope, 'this'>;
  change: EventChange;
  message: ChangeMessage | null;
  now: Date;
};

/** `affected`: the number of occurrences in scope; `keptOwn`: those where a field of the change kept a value of its own. */
export type ChangedOccurrences = { affected: number; keptOwn: string[] };

/**
 * Right under concurrency: the lock of the series excludes other changes of its dates and the job that makes them, and the locks
 * of its coming occurrences, taken in ascending order of their ids, exclude all other writes that depend on them.
 * @param prepare runs for each occurrence in scope before it is written
 * @throws Problem as the change of a single event; the detail names the date
 */
export async function changeOccurrences(
  tx: Transaction,
  caller: Caller,
  request: FastifyRequest,
  { id, scope, change, message, now }: OccurrencesChange,
  prepare: (before: OccurrenceRow, fields: EventFields) => Promise<void>,
): Promise<ChangedOccurrences> {
  const { series, event } = await lockSeriesOf(tx, id, caller);
  const rows = await lockOccurrences(tx, series.id, sql`(e.end_at > ${now} or e.id = ${id})`);
  const path = rows.find((row) => row.id === id) ?? event;
  requireMatch(request, await versionAsEntered(tx, path));
  requireNoHiding(path, series, change);
  const coming = rows.filter(({ endAt }) => endAt > now);
  const isWhole = scope === 'all' || coming.every(({ seriesDate }) => seriesDate >= path.seriesDate);
  const inScope = isWhole ? coming : coming.filter(({ seriesDate }) => seriesDate >= path.seriesDate);
  const parts = isWhole || change.status ? null : splitSeries(series, dateOf(path), now);
  const changed = planChange(parts?.later ?? series, path, change);
  const outcomes = inScope.map((row) => changeOne(row, changed, { change, path }));
  if (
    message &&
    !outcomes.some(({ before, fields }) => noticeOf(before, { ...fields, hidden: before.hidden }, now))
  )
    throw invalid('message', 'needs a change of which the guests are notified', 'needs_notice');
  for (const { before, fields } of outcomes) await prepare(before, fields);
  await store(tx, { series, parts, changed, inScope, now });
  const seriesId = changed.series.id;
  await updateEvents(
    tx,
    outcomes.map(({ before, fields, occurrence }) => ({
      ...{ before, fields },
      occurrence: { ...occurrence, seriesId },
    })),
    now,
    message,
  );
  return {
    affected: inScope.length,
    keptOwn: outcomes.flatMap(({ before, keepsOwn }) => (keepsOwn ? [before.id] : [])),
  };
}

const hidingFields = ['location', 'locationKind', 'onlineUrl', 'addressVisibility', 'timezone'] as const;

/** Each occurrence hides its own address. @throws Problem `invalid_request` */
function requireNoHiding({ isAddressHidden }: OccurrenceRow, { fields }: Series, change: EventChange): void {
  const isHiding = isAddressHidden || fields.addressVisibility === 'going';
  const named = hidingFields.find((name) => change[name] !== undefined);
  if (change.addressVisibility === 'going' || (isHiding && named))
    throw invalid(named ?? 'addressVisibility', 'of a hidden address can change for one date only');
}

const dateOf = ({ seriesDate, allDay }: OccurrenceRow): LocalTime => {
  // An occurrence that alone is all-day keeps the date of its series.
  const date = readDate(seriesDate, true) ?? readDate(seriesDate, false);
  if (!date) throw new Error(`an occurrence has the date ${seriesDate}, allDay is ${allDay}`);
  return date;
};

/** `target`: the occurrence of the path after the change; `moved`: null if no time changes. */
type PlannedChange = {
  series: Series;
  target: EventFields;
  moved: MovedSchedule | null;
  names: EventFieldName[];
};

const timeNames = groupOf('startAt');

/** @throws Problem `invalid_request` */
function planChange(series: Series, path: OccurrenceRow, change: EventChange): PlannedChange {
  const target = applyChange(path, change);
  // A form sends fields that it does not change: an own value of the occurrence is then no value for the others.
  const names = namedIn(change).filter(
    (name) => !path.ownFields.includes(name) || differsIn(name, path, target),
  );
  const movesTime = timeNames.some((name) => differsIn(name, path, target));
  const moved = movesTime ? moveSchedule(series.schedule, path, target) : null;
  const schedule = withDeadline(moved?.schedule ?? series.schedule, change, target);
  if (moved) requireNoOverlap(schedule, 'endAt');
  if (hasDoubledDates(schedule)) throw invalid('allDay', 'gives the series a day twice');
  const fields = { ...series.fields };
  for (const name of names)
    if (name in fields && name !== 'status') Object.assign(fields, { [name]: target[name] });
  return {
    ...{ target, moved, names },
    series: {
      ...series,
      schedule,
      fields: {
        ...fields,
        isExact: isExactOf(fields, target, names),
        isPriceKnown: priceKnownOf(fields, names),
      },
      status:
        change.status === undefined ? series.status : change.status === 'cancelled' ? 'ended' : 'active',
    },
  };
}

/** Without a place, coordinates are those of a town. */
const isExactOf = (fields: SeriesFields, target: EventFields, names: EventFieldName[]): boolean =>
  names.includes('address') || names.includes('locationKind')
    ? fields.locationKind === 'place' && target.isExact
    : fields.isExact;

const priceKnownOf = (fields: SeriesFields, names: EventFieldName[]): boolean =>
  names.includes('isPriceKnown') ? fields.isPriceKnown : fields.isPriceKnown || names.includes('price');

/** A schedule whose deadline has the distance to the start that a changed one has. */
function withDeadline(schedule: MovedSchedule['schedule'], change: EventChange, target: EventFields) {
  if (change.rsvpUntil === undefined) return schedule;
  const { rsvpUntil, startAt, timezone } = target;
  return {
    ...schedule,
    closesBefore: rsvpUntil && clockBetween(localTime(rsvpUntil, timezone), localTime(startAt, timezone)),
  };
}

/** What an occurrence that hides its address keeps. */
const placeNames: EventFieldName[] = ['address', 'onlineUrl', 'addressVisibility'];

type Outcome = EventUpdate & { before: OccurrenceRow; keepsOwn: boolean };

function changeOne(
  before: OccurrenceRow,
  planned: PlannedChange,
  { change, path }: { change: EventChange; path: OccurrenceRow },
): Outcome {
  const { series, moved, names } = planned;
  const isPath = before.id === path.id;
  const owned = isPath ? [] : ownedAgainst(before, change).concat(before.isAddressHidden ? placeNames : []);
  const date = moved ? moved.move(dateOf(before)) : dateOf(before);
  const fields = isPath
    ? withMovedDeadline(before, planned.target, change)
    : onDate(before, () => fieldsOfOther(before, planned, { change, owned, date }));
  onDate(before, () => requireCapacity(before, fields));
  const isNowShared = (name: EventFieldName) =>
    (isPath && names.includes(name)) || (name === 'status' && !owned.includes(name));
  return {
    ...{ before, fields, keepsOwn: names.some((name) => ownsGroupOf(owned, name)) },
    occurrence: {
      seriesDate: formatDate(date, series.schedule.allDay),
      ownFields: before.ownFields.filter((name) => !isNowShared(name)),
    },
  };
}

/** What an occurrence keeps: a cancellation cancels those too whose status was changed for them alone. */
const ownedAgainst = ({ ownFields, status }: OccurrenceRow, change: EventChange): EventFieldName[] =>
  change.status === 'cancelled' && status === 'scheduled'
    ? ownFields.filter((name) => name !== 'status')
    : ownFields;

/** @throws Problem `invalid_request` */
function fieldsOfOther(
  before: OccurrenceRow,
  { series, moved }: PlannedChange,
  { change, owned, date }: { change: EventChange; owned: EventFieldName[]; date: LocalTime },
): EventFields {
  const { startAt: _s, endAt: _e, timezone: _t, allDay: _a, rsvpUntil, ...others } = change;
  const changed = applyChange(before, withoutOwned(others, owned));
  const { schedule } = series;
  const isMoved = moved && !ownsGroupOf(owned, 'startAt');
  const { startAt, endAt, timezone, allDay } = isMoved ? timesOf(schedule, date) : before;
  const fields = { ...changed, ...{ startAt, endAt, timezone, allDay } };
  if (rsvpUntil === undefined || owned.includes('rsvpUntil')) return withMovedDeadline(before, fields, {});
  const { closesBefore } = schedule;
  return {
    ...fields,
    rsvpUntil: closesBefore && instantOf(localTime(startAt, timezone).subtract(closesBefore), timezone),
  };
}

/** A deadline that the change does not set keeps its distance to the start. */
function withMovedDeadline(
  before: OccurrenceRow,
  after: EventFields,
  { rsvpUntil }: Pick<EventChange, 'rsvpUntil'>,
): EventFields {
  const isMoved = before.startAt.getTime() !== after.startAt.getTime();
  if (rsvpUntil !== undefined || before.rsvpUntil === null || !isMoved) return after;
  const distance = clockBetween(
    localTime(before.rsvpUntil, before.timezone),
    localTime(before.startAt, before.timezone),
  );
  const deadline = localTime(after.startAt, after.timezone).subtract(distance);
  return { ...after, rsvpUntil: instantOf(deadline, after.timezone) };
}

/** Names the date of a refusal. */
function onDate<T>({ seriesDate }: OccurrenceRow, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { errors, retryAfter } = error;
    throw new Problem(error.code, {
      detail: `${seriesDate}: ${error.message}`,
      ...(errors && { errors }),
      retryAfter,
    });
  }
}

async function store(
  tx: Transaction,
  {
    series,
    parts,
    changed,
    inScope,
    now,
  }: {
    series: Series;
    parts: ReturnType<typeof splitSeries>;
    changed: PlannedChange;
    inScope: OccurrenceRow[];
    now: Date;
  },
): Promise<void> {
  // The dates that exist need no job; one that is missing is made in the next minute.
  const dueAt = (part: Series) => planOf(part, now).dueAt;
  const isResumed = series.status === 'ended' && changed.series.status === 'active';
  if (!parts)
    return await updateSeries(tx, changed.series, isResumed ? now : dueAt(changed.series), {
      at: now,
      lost: [],
    });
  await updateSeries(tx, parts.earlier, dueAt(parts.earlier), { at: now, lost: inScope });
  await insertSeries(tx, changed.series, dueAt(changed.series));
  await copyPeople(tx, series.id, changed.series.id);
}
