/** The form of an event: its values, and the request that they make. */
import { randomUUID } from 'node:crypto';
import type { CreateEventData, Event, TemplateWithItems } from '@potluck/client';
import { currencyAt, maxPrice } from '#lib/event/form/currency.ts';
import { fieldRows, modules, valuesOf } from '#lib/event/form/event-fields.ts';
import type { EventValues } from '#lib/event/form/event-values.ts';
import { readEventForm } from '#lib/event/form/read-event-form.ts';
import type { TemplateStart } from '#lib/event/form/template-start.ts';
import { suggestedDay } from '#lib/event/form/wall-times.ts';
import { formatNumber } from '#lib/language/format.ts';
import { m } from '#lib/messages/index.js';
import type { ChosenPlace } from '#lib/places/places.ts';
import type { PageFields } from '#lib/server/read-fields.ts';
import { type FieldErrors, readRsvpUntil, readTimes } from './event-times.ts';
import { addDays, toLocal } from './local-time.ts';
import { suggestedTitle, templateName } from './names.ts';
import { readSpot } from './read-spot.ts';
import { emojiOfTemplate, startValuesOf } from './template-starts.ts';

type EventBody = CreateEventData['body'];

const maxCapacity = 1_000_000;
const keyPattern = /^[0-9a-f-]{36}$/;

export const newKey = (): string => randomUUID();

/** What the form of a new event takes from a template. @param key that of the form */
export function startOf(template: TemplateWithItems, key: string): TemplateStart {
  const { slug, items } = template;
  return {
    slug,
    name: templateName(template),
    emoji: emojiOfTemplate(slug),
    values: {
      ...startValuesOf(slug, key),
      modules: items.some(({ kind }) => kind === 'wish')
        ? Object.keys(modules)
        : Object.keys(modules).filter((name) => name !== 'wishList'),
      items: items.map(({ title, kind, quantityNeeded, emoji }) => ({
        title: suggestedTitle(title),
        kind,
        quantity: String(quantityNeeded),
        emoji,
      })),
    },
  };
}

/** The values of a new event. */
export const valuesOfStart = ({ slug, values }: TemplateStart, key: string): EventValues => ({
  ...valuesOf(
    (_, { initial = '' }) => initial,
    () => false,
  ),
  startDate: suggestedDay(Date.now()),
  place: '',
  startAt: '',
  endAt: '',
  ...values,
  template: slug,
  tag: '',
  key,
  organizerName: '',
  message: '',
  inviteGuests: true,
  scope: '',
});

/**
 * @param tag the ETag of the response that has the event
 * @param town the town that the address names; empty for none
 */
export function valuesOfEvent(event: Event, tag = '', town = ''): EventValues {
  const { timezone, location, allDay } = event;
  const start = toLocal(event.startAt, timezone);
  const end = toLocal(event.endAt, timezone);
  const until = event.rsvpUntil === null ? null : toLocal(event.rsvpUntil, timezone);
  const { address, lat, lng, isExact } = location;
  const place: ChosenPlace = { label: address, town, lat, lng, timeZone: timezone };
  return {
    ...valuesOf(
      (_, { plain }) => plain?.(event) ?? '',
      (_, { box }) => box?.(event) ?? false,
    ),
    place: JSON.stringify(place),
    address,
    lat: isExact ? String(lat) : '',
    lng: isExact ? String(lng) : '',
    startDate: start.date,
    startTime: allDay ? '' : start.time,
    // The day of the end is inclusive in the form, and exclusive in the API.
    endDate: allDay ? addDays(end.date, -1) : end.date,
    endTime: allDay ? '' : end.time,
    onlineUrl: event.onlineUrl ?? '',
    rsvpUntilDate: until?.date ?? '',
    rsvpUntilTime: until?.time ?? '',
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
    organizerName: '',
    message: '',
    inviteGuests: true,
    scope: event.series ? 'this' : '',
  };
}

/** Reads the values of a form that was sent. */
export function readValues(form: PageFields): EventValues {
  const values = readEventForm(form);
  return keyPattern.test(values.key) ? values : { ...values, key: newKey() };
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
  const rsvpUntil = place ? readRsvpUntil(values, { zone: place.timeZone, endAt }, fields) : null;
  if (!place) requireText('startAt', values.startDate);
  const price = Number(values.price.replace(',', '.'));
  if (!(price >= 0 && price <= maxPrice))
    fields.price = m.organizer_error_number({ limit: formatNumber(maxPrice) });
  const capacity = Number(values.capacity);
  if (!isWhole(capacity, 0, maxCapacity))
    fields.capacity = m.organizer_error_number({ limit: formatNumber(maxCapacity) });
  const spot = place && readSpot(values, place, fields);
  if (!place && !fields.location) requireText('location', '');
  if (!place || !spot || Object.keys(fields).length > 0) return { body: null, fields };
  const body: EventBody = {
    ...plainFields(values),
    startAt,
    endAt,
    rsvpUntil,
    timezone: place.timeZone,
    location: { address: values.address, ...spot },
    onlineUrl: values.onlineUrl || null,
    coverUrl: values.coverUrl || null,
    coverTheme: (values.coverTheme || null) as (EventBody['coverTheme'] & string) | null,
    price,
    isPriceKnown: values.price !== '',
    currency: values.currency || currencyAt(place),
    capacity,
    enabledModules: values.modules as NonNullable<EventBody['enabledModules']>,
  };
  return { body, fields: null };
}

/** The fields that are sent as they are. The API checks the values of lists. */
const plainFields = (values: EventValues) =>
  Object.fromEntries(
    fieldRows.filter(([, { plain, box }]) => plain ?? box).map(([name]) => [name, values[name]]),
  ) as Pick<EventBody, 'title' | 'category'>;

export const isWhole = (value: number, min: number, max: number): boolean =>
  Number.isInteger(value) && value >= min && value <= max;
