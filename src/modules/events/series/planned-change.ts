/** What a change of several occurrences makes of their series: its schedule, and the fields of later occurrences. */
import { invalid } from '../../../lib/errors.ts';
import type { EventFieldName, EventFields } from '../event-fields.ts';
import { applyChange } from '../event-rules.ts';
import { toStored } from '../exact-place.ts';
import type { ShownPlace } from '../public-place.ts';
import type { EventChange } from '../schemas.ts';
import { hasDoubledDates, type MovedSchedule, moveSchedule } from './move-schedule.ts';
import type { Occurrence } from './occurrences.ts';
import { differsIn, enteredFields, groupOf, namedIn, ownFieldsOf } from './own-fields.ts';
import { type Series, type SeriesFields, seriesFieldsOf } from './repo.ts';
import { clockBetween, localTime, requireNoOverlap, timesOf } from './schedule.ts';

/** `target`: the occurrence of the path after the change; `moved`: null if no time changes. `template`: the fields before it. */
export type PlannedChange = {
  change: EventChange;
  shownPlace: ShownPlace;
  pathId: string;
  series: Series;
  template: SeriesFields;
  target: EventFields;
  moved: MovedSchedule | null;
  names: EventFieldName[];
};

const timeNames = groupOf('startAt');
/** What the schedule and the status of a series have. */
const ofSchedule: EventFieldName[] = [...timeNames, 'rsvpUntil', 'status'];

/** @throws Problem `invalid_request` */
export function planChange(
  series: Series,
  path: Occurrence,
  { change, shownPlace }: { change: EventChange; shownPlace: ShownPlace },
): PlannedChange {
  const { entered } = path;
  const target = applyChange(entered, change, shownPlace);
  // A form sends fields that it does not change: an own value of the occurrence is then no value for the others.
  const own = ownFieldsOf(path, series.fields);
  const names = namedIn(change).filter((name) => !own.includes(name) || differsIn(name, entered, target));
  const movesTime = timeNames.some((name) => differsIn(name, entered, target));
  const moved = movesTime ? moveSchedule(series.schedule, path.before, target) : null;
  const schedule = withDeadline(moved?.schedule ?? series.schedule, change, target);
  if (moved) requireNoOverlap(schedule, 'endAt');
  if (hasDoubledDates(schedule)) throw invalid('allDay', 'gives the series a day twice');
  return {
    ...{ change, shownPlace, pathId: path.before.id, template: series.fields, target, moved, names },
    series: {
      ...series,
      schedule,
      fields: changeTemplate(series.fields, { target, change, names, shownPlace }),
      status: statusAfter(series, change),
    },
  };
}

/**
 * What a change of the fields of all occurrences makes of their series, of which no single occurrence is meant. Times stay.
 * @throws Problem `invalid_request`
 */
export function planFields(series: Series, change: EventChange, shownPlace: ShownPlace): PlannedChange {
  const { schedule, fields } = series;
  const target = applyChange(
    { ...enteredFields(fields), ...timesOf(schedule, schedule.first) },
    change,
    shownPlace,
  );
  const names = namedIn(change);
  return {
    ...{ change, shownPlace, pathId: '', template: fields, target, moved: null, names },
    series: {
      ...series,
      fields: changeTemplate(fields, { target, change, names, shownPlace }),
      status: statusAfter(series, change),
    },
  };
}

/** A cancelled series has ended. */
const statusAfter = ({ status }: Series, change: EventChange): Series['status'] =>
  change.status === undefined ? status : change.status === 'cancelled' ? 'ended' : 'active';

/** The fields of later occurrences. Their times are those of the schedule, and each is scheduled. */
function changeTemplate(
  template: SeriesFields,
  { target, change, names, shownPlace }: Omit<PlannedChange, 'series' | 'moved' | 'pathId' | 'template'>,
): SeriesFields {
  const { startAt, endAt, allDay, timezone } = target;
  const times = { startAt, endAt, allDay, timezone, rsvpUntil: null };
  const isShared = (name: EventFieldName) => names.includes(name) && !ofSchedule.includes(name);
  const shared = Object.fromEntries(
    Object.entries(change).filter(([key, value]) => namedIn({ [key]: value }).some(isShared)),
  ) as EventChange;
  const before = { ...enteredFields(template), ...times };
  const after = applyChange(before, { ...shared, timezone }, shownPlace);
  return seriesFieldsOf(toStored(after, shownPlace));
}

/** A schedule whose deadline has the distance to the start that a changed one has. */
function withDeadline(schedule: MovedSchedule['schedule'], change: EventChange, target: EventFields) {
  if (change.rsvpUntil === undefined) return schedule;
  const { rsvpUntil, startAt, timezone } = target;
  return {
    ...schedule,
    closesBefore: rsvpUntil && clockBetween(localTime(rsvpUntil, timezone), localTime(startAt, timezone)),
  };
}
