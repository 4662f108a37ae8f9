/** Fields that were changed for one occurrence, and keep their values when the series changes. */
import type { EventFieldName, EventFields } from '../event-fields.ts';
import { fieldNames } from '../event-fields.ts';
import type { EventChange } from '../schemas.ts';
import type { Occurrence } from './occurrences.ts';
import type { SeriesFields } from './repo.ts';

/** Fields that make sense together alone: an occurrence that owns one of a group keeps all of it. */
const groups: EventFieldName[][] = [
  ['startAt', 'endAt', 'timezone', 'allDay'],
  ['address', 'lat', 'lng', 'isExact', 'locationKind'],
  ['price', 'isPriceKnown', 'currency'],
];
export const groupOf = (name: EventFieldName): EventFieldName[] =>
  groups.find((group) => group.includes(name)) ?? [name];

/** The fields that a change names. */
export const namedIn = (change: EventChange): EventFieldName[] =>
  Object.keys(change).flatMap((key) =>
    key === 'location' ? (['address', 'lat', 'lng', 'isExact'] as const) : [key as EventFieldName],
  );

export const ownsGroupOf = (ownFields: EventFieldName[], name: EventFieldName): boolean =>
  groupOf(name).some((member) => ownFields.includes(member));

export const differsIn = (name: EventFieldName, before: EventFields, after: EventFields): boolean =>
  JSON.stringify(before[name]) !== JSON.stringify(after[name]);

/** The fields that an occurrence owns after a change for it alone. */
export const ownFieldsAfter = (
  before: EventFields & { ownFields: EventFieldName[] },
  after: EventFields,
): EventFieldName[] =>
  fieldNames.filter((name) => before.ownFields.includes(name) || differsIn(name, before, after));

/** The fields of new occurrences, with the place that was entered. */
export function enteredFields({ exactPlace, ...fields }: SeriesFields): Omit<SeriesFields, 'exactPlace'> {
  if (!exactPlace) return fields;
  const { moves: _, ...place } = exactPlace;
  return { ...fields, ...place };
}

/** Of the place, each field that an event can hide. */
export const hideable = ['address', 'lat', 'lng', 'isExact', 'onlineUrl'] as const;

/**
 * What an occurrence owns. A hidden place that was changed for it alone is not among its `ownFields`, which everybody sees as
 * `isChanged`: it differs from that of its series.
 */
export function ownFieldsOf(
  { before: { ownFields, exactPlace } }: Pick<Occurrence, 'before'>,
  template: SeriesFields,
): EventFieldName[] {
  if (!exactPlace || !template.exactPlace) return ownFields;
  const other = template.exactPlace;
  return [...ownFields, ...hideable.filter((name) => exactPlace[name] !== other[name])];
}

/** A change without fields that an occurrence owns. */
export const withoutOwned = (change: EventChange, ownFields: EventFieldName[]): EventChange =>
  Object.fromEntries(
    Object.entries(change).filter(([key]) => {
      const name = key === 'location' ? 'address' : (key as EventFieldName);
      return !ownsGroupOf(ownFields, name);
    }),
  ) as EventChange;
