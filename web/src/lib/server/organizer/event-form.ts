/** The form of an event: its values, and the request that they make. */
import { randomUUID } from 'node:crypto';
import type { CreateEventData, Event, TemplateWithItems } from '@potluck/client';
import { type ChosenPlace, parseChosen } from '#lib/discovery/places.ts';
import { fieldRows, textsOf } from '#lib/event/event-fields.ts';
import type { EventValues, ItemValues } from '#lib/event/event-values.ts';
import { getLanguage } from '#lib/language/languages.ts';
import { m } from '#lib/messages/index.js';
import { textOf } from '#lib/server/form-action.ts';
import { addDays, type Instant, toInstant, toLocal, toStartOfDay } from './local-time.ts';
import { suggestedTitle } from './names.ts';

type EventBody = CreateEventData['body'];

/** Texts by field, as the API names it. */
export type FieldErrors = Record<string, string>;

const modules = ['bringList', 'wishList', 'booking'] as const;
const keyPattern = /^[0-9a-f-]{36}$/;

export const newKey = (): string => randomUUID();

/** The values of a new event of a template. */
export function valuesOfTemplate({ slug, items }: TemplateWithItems): EventValues {
  return {
    ...textsOf((_, { initial = '' }) => initial),
    place: '',
    allDay: false,
    startAt: '',
    endAt: '',
    category: categoryOf[slug] ?? '',
    currency: getLanguage() === 'sv' ? 'SEK' : 'EUR',
    modules: items.some(({ kind }) => kind === 'wish')
      ? [...modules]
      : modules.filter((name) => name !== 'wishList'),
    template: slug,
    tag: '',
    key: newKey(),
    items: items.map(({ title, kind, quantityNeeded, emoji }) => ({
      title: suggestedTitle(title),
      kind,
      quantity: String(quantityNeeded),
      emoji,
    })),
  };
}

/** The category that most events of a template have. */
const categoryOf: Record<string, string> = {
  potluck: 'food',
  birthday: 'party',
  wedding: 'party',
  picnic: 'outdoors',
  concert: 'music',
  meetup: 'community',
  conference: 'tech',
};

/** @param tag the ETag of the response that has the event */
export function valuesOfEvent(event: Event, tag = ''): EventValues {
  const { timezone, location, allDay } = event;
  const start = toLocal(event.startAt, timezone);
  const end = toLocal(event.endAt, timezone);
  const town = townOf(location.address);
  const place: ChosenPlace = { label: town, lat: location.lat, lng: location.lng, timeZone: timezone };
  return {
    ...textsOf((_, { plain }) => plain?.(event) ?? ''),
    town,
    place: JSON.stringify(place),
    address: location.address,
    allDay,
    startDate: start.date,
    startTime: allDay ? '' : start.time,
    // The day of the end is inclusive in the form, and exclusive in the API.
    endDate: allDay ? addDays(end.date, -1) : end.date,
    endTime: allDay ? '' : end.time,
    startAt: event.startAt,
    endAt: event.endAt,
    price: event.isPriceKnown ? String(event.price) : '',
    capacity: event.capacity === 0 ? '' : String(event.capacity),
    visibility: event.visibility,
    modules: event.enabledModules,
    coverUrl: event.coverUrl.includes(`/v1/events/${event.id}/cover.svg`) ? '' : event.coverUrl,
    coverTheme: event.coverTheme ?? '',
    template: event.template.slug,
    tag,
    key: '',
    items: [],
  };
}

/** The end of an address without its postal code: the API does not store the name of the town. */
const townOf = (address: string): string =>
  address
    .split(',')
    .at(-1)
    ?.replace(/^[\d\s-]+/, '')
    .trim() || address;

export function readEventForm(form: FormData): EventValues {
  const text = (name: string) => textOf(form.get(name));
  const choice = parseChosen(text('choice'));
  const key = text('key');
  return {
    ...textsOf(text),
    town: choice?.label ?? text('town'),
    place: choice ? JSON.stringify(choice) : text('place'),
    allDay: form.has('allDay'),
    startAt: text('startAt'),
    endAt: text('endAt'),
    modules: form.getAll('module').map(textOf),
    coverUrl: form.has('removeCover') ? '' : text('coverUrl'),
    template: text('template'),
    tag: text('tag'),
    key: keyPattern.test(key) ? key : newKey(),
    items: readItems(form),
  };
}

function readItems(form: FormData): ItemValues[] {
  const column = (name: string) => form.getAll(name).map(textOf);
  const [kinds, quantities, emojis] = ['itemKind', 'itemQuantity', 'itemEmoji'].map(column);
  return column('itemTitle').map((title, i) => ({
    title,
    kind: kinds?.[i] ?? 'bring',
    quantity: quantities?.[i] ?? '',
    emoji: emojis?.[i] ?? '',
  }));
}

/**
 * The request that the values make.
 * @param place null if no place is chosen
 * @returns texts by field if a value is missing or cannot be sent
 */
export function toEventBody(
  values: EventValues,
  place: ChosenPlace | null,
): { body: EventBody; fields: null } | { body: null; fields: FieldErrors } {
  const fields: FieldErrors = {};
  const requireText = (path: string, value: string) => {
    if (value === '') fields[path] = m.field_required();
  };
  requireText('title', values.title);
  requireText('category', values.category);
  const [startAt, endAt] = place ? readTimes(values, place.timeZone, fields) : ['', ''];
  if (!place) requireText('startAt', values.startDate);
  const price = Number(values.price.replace(',', '.'));
  if (!(price >= 0 && price <= 1_000_000)) fields.price = m.organizer_error_number();
  const capacity = Number(values.capacity);
  if (!isWhole(capacity, 0, 1_000_000)) fields.capacity = m.organizer_error_number();
  if (!place && !fields.location) requireText('location', '');
  if (!place || Object.keys(fields).length > 0) return { body: null, fields };
  const body: EventBody = {
    ...plainFields(values),
    startAt,
    endAt,
    allDay: values.allDay,
    timezone: place.timeZone,
    location: { address: values.address || place.label, lat: place.lat, lng: place.lng },
    coverUrl: values.coverUrl || null,
    coverTheme: (values.coverTheme || null) as (EventBody['coverTheme'] & string) | null,
    price,
    isPriceKnown: values.price !== '',
    capacity,
    enabledModules: values.modules as NonNullable<EventBody['enabledModules']>,
  };
  return { body, fields: null };
}

/** The fields that are sent as they are. The API checks the values of lists. */
const plainFields = (values: EventValues) =>
  Object.fromEntries(
    fieldRows.filter(([, { plain }]) => plain).map(([name]) => [name, values[name]]),
  ) as Pick<EventBody, 'title' | 'category'>;

export const isWhole = (value: number, min: number, max: number): boolean =>
  Number.isInteger(value) && value >= min && value <= max;

type Times = Pick<
  EventValues,
  'allDay' | 'startDate' | 'startTime' | 'endDate' | 'endTime' | 'startAt' | 'endAt'
>;

/** The start and the end of an event, or texts in `fields`. */
export function readTimes(values: Times, zone: string, fields: FieldErrors): [string, string] {
  const { allDay, startDate, startTime, endTime } = values;
  const crossesMidnight = !allDay && endTime !== '' && endTime <= startTime;
  const endDate = values.endDate || addDays(startDate, crossesMidnight ? 1 : 0);
  const start = allDay
    ? toStartOfDay(startDate, zone)
    : toInstant({ date: startDate, time: startTime }, zone);
  const end = allDay ? toStartOfDay(endDate, zone, 1) : toInstant({ date: endDate, time: endTime }, zone);
  const startAt = accept(start, 'startAt', values.startAt, zone, fields);
  const endAt = accept(end, 'endAt', values.endAt, zone, fields);
  if (startAt && endAt && Date.parse(endAt) <= Date.parse(startAt)) fields.endAt = m.field_after_start();
  return [startAt, endAt];
}

/**
 * @param stored the stored time. It stays if the form shows the same minute: it may have seconds, or be the second of
 * two equal times at the end of summer time
 */
function accept(time: Instant, path: string, stored: string, zone: string, fields: FieldErrors): string {
  if ('problem' in time) {
    fields[path] =
      time.problem === 'gap'
        ? m.organizer_error_gap({ zone: zone.replaceAll('_', ' '), next: time.next })
        : m.field_timestamp();
    return '';
  }
  if (stored === '' || !Number.isFinite(Date.parse(stored))) return time.at;
  const [entered, kept] = [time.at, new Date(stored).toISOString()].map((at) => toLocal(at, zone));
  return entered?.date === kept?.date && entered?.time === kept?.time ? stored : time.at;
}
