/** What single occurrences of a series have of their own, as an imported calendar says it. */
import { type EventFieldName, type EventFields, fieldNames } from '../events/event-fields.ts';
import { applyChange } from '../events/event-rules.ts';
import { toStored } from '../events/exact-place.ts';
import type { ShownPlace } from '../events/public-place.ts';
import type { EventChange } from '../events/schemas.ts';
import { differsIn, enteredFields, groupOf, hideable } from '../events/series/own-fields.ts';
import type { Series } from '../events/series/repo.ts';
import { hasDate, type PlannedDate, readDate, timesOf } from '../events/series/schedule.ts';
import type { NewDate } from './make-dates.ts';

/** `change`: what the occurrence of a date has of its own. `reset`: the fields that it has like the others again. */
export type DateChange = { date: string; change: EventChange; reset?: EventFieldName[] };

/** The entered fields of an occurrence, and those that it owns. */
type Own = { fields: EventFields; ownFields: EventFieldName[] };
type Target = { series: Series; to: PlannedDate; ownChange: DateChange | undefined; shownPlace: ShownPlace };

/** @throws Problem `invalid_request` */
export function applyOwnChange(before: Own, { series, to, ownChange, shownPlace }: Target): Own {
  if (!ownChange) return before;
  const shared = { ...enteredFields(series.fields), ...to.times };
  const reset = (ownChange.reset ?? []).flatMap(groupOf);
  const fields = {
    ...before.fields,
    ...Object.fromEntries(reset.map((name) => [name, shared[name]])),
  };
  const after = applyChange(fields, ownChange.change, shownPlace);
  // All people see `ownFields` as `isChanged`, which must not reveal that a hidden place differs.
  const isHidden = (name: EventFieldName) =>
    after.addressVisibility === 'going' && hideable.some((one) => one === name);
  const isOwn = (name: EventFieldName) =>
    (before.ownFields.includes(name) && !reset.includes(name)) ||
    (differsIn(name, fields, after) && differsIn(name, shared, after) && !isHidden(name));
  return { fields: after, ownFields: fieldNames.filter(isOwn) };
}

/**
 * The occurrences of dates that are to be made, with what single ones have of their own. Those that were changed exist ahead of the
 * others: no later change of the series says again what they are.
 * @param changes of dates that have no occurrence
 */
export function newDates(
  series: Series,
  planned: PlannedDate[],
  changes: DateChange[],
  { shownPlace, now }: { shownPlace: ShownPlace; now: Date },
): NewDate[] {
  const { schedule } = series;
  const changeOn = new Map(changes.map((change) => [change.date, change]));
  const inPlan = new Set(planned.map(({ date }) => date));
  const others = changes.flatMap(({ date: text }) => {
    const isLeftOut = inPlan.has(text) || schedule.deleted.has(text) || schedule.excluded.has(text);
    const date = isLeftOut ? null : readDate(text, schedule.allDay);
    return date && hasDate(schedule, date) ? [{ date: text, times: timesOf(schedule, date) }] : [];
  });
  const withOwn = (to: PlannedDate): NewDate => {
    const ownChange = changeOn.get(to.date);
    if (!ownChange) return to;
    const before = { fields: { ...enteredFields(series.fields), ...to.times }, ownFields: [] };
    const { fields, ownFields } = applyOwnChange(before, { series, to, ownChange, shownPlace });
    return { ...to, own: { fields: toStored(fields, shownPlace), ownFields } };
  };
  return [
    ...planned.map(withOwn),
    ...others.map(withOwn).filter(({ own, times }) => (own?.fields.endAt ?? times.endAt) > now),
  ];
}
