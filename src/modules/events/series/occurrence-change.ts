/** What a change of several occurrences makes of one of them. */
import { Problem } from '../../../lib/errors.ts';
import type { EventFieldName, EventFields } from '../event-fields.ts';
import { applyChange, requireCapacity } from '../event-rules.ts';
import { toStored } from '../exact-place.ts';
import type { EventChange } from '../schemas.ts';
import type { EventUpdate } from '../update-events.ts';
import { dateOf, type Occurrence, type OccurrenceRow } from './occurrences.ts';
import { ownFieldsOf, ownsGroupOf, withoutOwned } from './own-fields.ts';
import type { PlannedChange } from './planned-change.ts';
import { clockBetween, formatDate, instantOf, type LocalTime, localTime, timesOf } from './schedule.ts';

/** `keepsOwn`: whether a field of the change kept the value that the occurrence has of its own. */
type Outcome = EventUpdate & { before: Occurrence['before']; keepsOwn: boolean };

/** @throws Problem `invalid_request`, `capacity_below_booked` */
export function changeOccurrence(occurrence: Occurrence, planned: PlannedChange): Outcome {
  const { before, entered } = occurrence;
  const { series, moved, names, change, shownPlace } = planned;
  const isPath = before.id === planned.pathId;
  const owned = isPath ? [] : ownedAgainst(occurrence, planned);
  const date = moved ? moved.move(dateOf(before)) : dateOf(before);
  const changed = isPath
    ? withMovedDeadline(entered, planned.target, change)
    : onDate(before, () => fieldsOfOther(entered, planned, { owned, date }));
  onDate(before, () => requireCapacity(before, changed));
  const isNowShared = (name: EventFieldName) =>
    (isPath && names.includes(name)) || (name === 'status' && !owned.includes(name));
  return {
    before,
    fields: toStored(changed, shownPlace, before.exactPlace),
    keepsOwn: names.some((name) => ownsGroupOf(owned, name)),
    occurrence: {
      seriesDate: formatDate(date, series.schedule.allDay),
      ownFields: before.ownFields.filter((name) => !isNowShared(name)),
    },
  };
}

/**
 * What a change of all occurrences makes of the entered fields of one, and which of them it owns then. Its times stay.
 * @throws Problem `invalid_request`
 */
export function changeOther(
  occurrence: Occurrence,
  planned: PlannedChange,
): { fields: EventFields; ownFields: EventFieldName[] } {
  const { before, entered } = occurrence;
  const owned = ownedAgainst(occurrence, planned);
  return {
    fields: onDate(before, () => fieldsOfOther(entered, planned, { owned, date: dateOf(before) })),
    ownFields: before.ownFields.filter((name) => name !== 'status' || owned.includes(name)),
  };
}

/** What an occurrence keeps: a cancellation cancels those too whose status was changed for them alone. */
function ownedAgainst(occurrence: Occurrence, { change, template }: PlannedChange): EventFieldName[] {
  const own = ownFieldsOf(occurrence, template);
  const isCancelled = change.status === 'cancelled' && occurrence.before.status === 'scheduled';
  return isCancelled ? own.filter((name) => name !== 'status') : own;
}

/** @throws Problem `invalid_request` */
function fieldsOfOther(
  before: OccurrenceRow,
  { series, moved, change, shownPlace }: PlannedChange,
  { owned, date }: { owned: EventFieldName[]; date: LocalTime },
): EventFields {
  const { startAt: _s, endAt: _e, timezone: _t, allDay: _a, rsvpUntil, ...others } = change;
  const changed = applyChange(before, withoutOwned(others, owned), shownPlace);
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
