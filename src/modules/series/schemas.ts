import { type Static, Type } from 'typebox';
import { cursorPage, cursorQuery } from '../../http/cursors.ts';
import { body, named, nullable, oneOf, ref, timestamp } from '../../http/schemas.ts';
import { requestStatuses, rsvpStatuses } from '../events/repo.ts';
import { CommonEvent, ListedEvent, NewEvent } from '../events/schemas.ts';
import { ByStartQuery } from '../events/start-pages.ts';
import { NewItem } from '../items/schemas.ts';

export const maxDates = 500;
export const maxSeriesItems = 30;
/** In the largest valid body: the dates, the items with their fields, the event. */
export const maxSeriesValues =
  2 * (1 + maxDates) + maxSeriesItems * (1 + Object.keys(NewItem.properties).length) + 100;

const localDate = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2})?$',
  maxLength: 16,
  examples: ['2026-12-24T18:00'],
});
const dates = (description: string) => Type.Array(localDate, { maxItems: maxDates, description });

const ruleFields = {
  rrule: Type.String({
    minLength: 1,
    maxLength: 500,
    examples: ['FREQ=WEEKLY;BYDAY=TU'],
    description:
      'The value of an RRULE (RFC 5545), without `RRULE:`. `FREQ` is `DAILY`, `WEEKLY`, `MONTHLY` or `YEARLY`; `INTERVAL` at most 1,000; ' +
      '`COUNT` at most 1,000, or `UNTIL`; `BYDAY`, `BYMONTHDAY`, `BYMONTH`, `BYSETPOS`, `BYYEARDAY`, `BYWEEKNO`, `WKST`. Other parts, and ' +
      'a rule without a date in ten years, are a 400 that names the part.',
  }),
  extraDates: dates('Further dates: local times in the zone of the event, or days of an all-day event.'),
  excludedDates: dates('Dates that are left out. An excluded date wins over an extra one.'),
};
const { rrule, extraDates, excludedDates } = ruleFields;

const items = Type.Array(NewItem, { maxItems: maxSeriesItems, description: 'The items of each occurrence.' });

export const NewSeries = body(
  {
    event: NewEvent,
    rrule,
    extraDates: Type.Optional(extraDates),
    excludedDates: Type.Optional(excludedDates),
    items: Type.Optional(items),
  },
  {
    examples: [
      {
        event: {
          title: 'Choir',
          startAt: '2026-12-01T18:00:00+01:00',
          endAt: '2026-12-01T20:00:00+01:00',
          location: { address: 'Aker Brygge, Oslo', lat: 59.9106, lng: 10.7291 },
          category: 'music',
        },
        rrule: 'FREQ=WEEKLY;BYDAY=TU',
        excludedDates: ['2026-12-29T18:00'],
        items: [{ title: 'Cake', kind: 'bring', quantityNeeded: 1 }],
      },
    ],
  },
);
export type NewSeries = Static<typeof NewSeries>;

export const Repetition = body(
  { rrule, extraDates: Type.Optional(extraDates), excludedDates: Type.Optional(excludedDates) },
  { examples: [{ rrule: 'FREQ=WEEKLY' }] },
);
export type Repetition = Static<typeof Repetition>;

export const SeriesItems = body(
  { items },
  { examples: [{ items: [{ title: 'Cake', kind: 'bring', quantityNeeded: 1 }] }] },
);
export const ReplacedItems = named(
  'ReplacedItems',
  Type.Object({
    replaced: Type.Integer({ examples: [11], description: 'Coming occurrences that have the new items.' }),
    kept: Type.Integer({
      examples: [1],
      description: 'Coming occurrences whose own list stays: it was changed, or there are claims on it.',
    }),
  }),
);

const date = nullable(Type.String({ examples: ['2027-06-29T18:00'] }), {
  description:
    'The last date, extra ones included, by the clocks of the zone; null for a series without end.',
});

export const Series = named(
  'Series',
  Type.Object({
    id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0f1'] }),
    organizer: CommonEvent.properties.organizer,
    title: Type.String({ examples: ['Choir'] }),
    rrule: Type.String({ examples: ['FREQ=WEEKLY;BYDAY=TU'] }),
    extraDates: Type.Array(Type.String({ examples: ['2026-12-24T18:00'] })),
    excludedDates: Type.Array(Type.String({ examples: ['2026-12-29T18:00'] })),
    timezone: Type.String({ examples: ['Europe/Oslo'] }),
    startAt: timestamp({ description: 'The first date.' }),
    until: date,
    status: oneOf(['active', 'ended'], {
      description: '`ended`: cancelled or deleted from a date on, or after the last date.',
    }),
    createdAt: timestamp(),
    next: nullable(ref(ListedEvent), {
      description: 'The next scheduled occurrence that the caller may see, or null.',
    }),
    ruleText: Type.String({
      examples: ['Every Tuesday'],
      description: 'The rule in words, in the language of `Accept-Language`.',
    }),
    myRequest: Type.Optional(
      oneOf(requestStatuses, {
        description: 'The request to join all dates, of a caller who has one that is not approved.',
      }),
    ),
    myRsvp: Type.Optional(
      nullable(oneOf(rsvpStatuses), { description: "The caller's RSVP to all dates. Only with a token." }),
    ),
  }),
);
export type Series = Static<typeof Series>;
export const SeriesPage = cursorPage(Series);
export const SeriesQuery = Type.Object(cursorQuery);

export const SeriesEventsQuery = Type.Object({
  ...ByStartQuery.properties,
  when: Type.Optional(
    oneOf(['upcoming', 'past'], {
      description:
        '`upcoming` (default): those that have not ended; `past`: those that have, the latest first.',
    }),
  ),
});

export const SeriesChange = Type.Partial(body(ruleFields), {
  additionalProperties: false,
  examples: [{ rrule: 'FREQ=WEEKLY;BYDAY=WE' }],
});
export type SeriesChange = Static<typeof SeriesChange>;

export const DryRunQuery = Type.Object({
  dryRun: Type.Optional(
    Type.Boolean({ description: 'Answers what the change would do, and changes nothing. Default: false.' }),
  ),
});

const count = (description: string) => Type.Integer({ examples: [3], description });
export const ChangedSeries = named(
  'ChangedSeries',
  Type.Object({
    ...Series.properties,
    changes: Type.Object(
      {
        kept: count('Coming occurrences whose date stays.'),
        moved: count('Those that move to another date.'),
        made: count('Those that are made.'),
        cancelled: count('Those without a date any more that somebody answered, or that were changed.'),
        deleted: count('Those without a date any more that nobody answered.'),
      },
      { description: 'What the change does to the coming occurrences.' },
    ),
  }),
);
export type ChangedSeries = Static<typeof ChangedSeries>;
