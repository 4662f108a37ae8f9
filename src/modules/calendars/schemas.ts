import { type Static, Type } from 'typebox';
import { named, nullable, timestamp } from '../../http/schemas.ts';
import { eventFilters } from '../discovery/schemas.ts';

export const Calendar = Type.String({ description: 'An iCalendar object (RFC 5545).' });

/** The filters of GET /v1/events, without its pages. */
export const CalendarQuery = Type.Object(eventFilters);
export type CalendarQuery = Static<typeof CalendarQuery>;

export const CalendarAddress = named(
  'CalendarAddress',
  Type.Object({
    url: Type.String({
      description:
        'The URL for a calendar program. Anyone who has the URL can read the calendar. No later response ' +
        'returns it.',
      examples: [
        'https://events.example.org/v1/calendars/pc_AZei9GweejSaUS8Mim3g4ZbO2uKqk4kH3mTfMYmFvd2W1QAHCu9XgQ.ics',
      ],
    }),
  }),
);

export const CalendarState = named(
  'CalendarState',
  Type.Object({
    exists: Type.Boolean({ description: 'Whether the calendar has a URL.' }),
    createdAt: nullable(timestamp(), {
      description: 'The time at which the URL was created; null without a URL.',
    }),
  }),
);

export const CalendarParams = Type.Object({
  secret: Type.String({ description: 'The secret of the URL that POST /v1/me/calendar returns.' }),
});
