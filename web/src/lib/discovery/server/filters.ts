/** The filters of the API that belong to a search. */
import type { listEvents } from '@potluck/client';
import { isReversed, type Search } from '#lib/discovery/search.ts';
import { formatBox } from '#lib/map/mercator.ts';
import { isTimeZone } from '#lib/places/time-zone.ts';

/** A circle of this radius in km has all events: it gives their distances. */
const wholeEarth = 20_040;

export type Filters = NonNullable<Parameters<typeof listEvents>[0]['query']>;

/** Lists of pages have each series once. Calendars have all of its dates. */
export const collapsed = { collapse: 'series' } as const;

/** The filters of the API. The dates are left out if they are in the wrong order. */
export function toFilters(search: Search, now = Temporal.Now.instant()): Filters {
  const { q, category, near, radius, box } = search;
  return {
    ...(q && { q }),
    ...(category && { category }),
    ...Object.fromEntries(search.traits.map((trait) => [trait, true])),
    ...(near && { ...near, radius: box ? wholeEarth : radius }),
    ...(box && { bbox: formatBox(box) }),
    ...(!isReversed(search) && toDates(search, now)),
    ...(search.isRunning && begunBefore(firstDayOf(search, now))),
  };
}

export const begunBefore = (day: Temporal.ZonedDateTime | null): Pick<Filters, 'startTo'> =>
  day ? { startTo: day.subtract({ milliseconds: 1 }).toInstant().toString() } : {};

function toDates(search: Search, now: Temporal.Instant): Pick<Filters, 'dateFrom' | 'dateTo'> {
  const { when, from, to } = search;
  const zone = zoneOf(search);
  const today = now.toZonedDateTimeISO(zone).toPlainDate();
  const between = (first: Temporal.PlainDate | null, last: Temporal.PlainDate | null) => ({
    ...(first && { dateFrom: startOf(first, zone).toString() }),
    ...(last && {
      dateTo: startOf(last.add({ days: 1 }), zone)
        .subtract({ milliseconds: 1 })
        .toString(),
    }),
  });
  switch (when) {
    case 'today':
      return between(today, today);
    case 'week':
      return between(today, today.add({ days: 6 }));
    case 'weekend': {
      const sunday = today.add({ days: 7 - today.dayOfWeek });
      return between(today.dayOfWeek === 7 ? today : sunday.subtract({ days: 1 }), sunday);
    }
    case 'range':
      return between(from ? Temporal.PlainDate.from(from) : null, to ? Temporal.PlainDate.from(to) : null);
    default:
      return {};
  }
}

/**
 * The first day of the period of a search, and today without a period; null for a range that begins before today. Events
 * that began before this day may last for months, so they stand behind those that begin on it.
 */
export function firstDayOf(search: Search, now: Temporal.Instant): Temporal.ZonedDateTime | null {
  const zone = zoneOf(search);
  const today = startOf(now.toZonedDateTimeISO(zone).toPlainDate(), zone);
  if (search.when === 'range' && (search.from === '' || isReversed(search))) return null;
  const { dateFrom } = toDates(search, now);
  const first = dateFrom === undefined ? today : Temporal.Instant.from(dateFrom);
  return Temporal.Instant.compare(first, today) < 0 ? null : first.toZonedDateTimeISO(zone);
}

const zoneOf = ({ tz }: Search): string => (isTimeZone(tz) ? tz : Temporal.Now.timeZoneId());

const startOf = (day: Temporal.PlainDate, zone: string): Temporal.Instant =>
  day.toZonedDateTime(zone).toInstant();
