import { type TProperties, Type } from 'typebox';
import { nullable, timestamp } from '../../http/schemas.ts';
import { EventListQuery } from '../discovery/schemas.ts';

export const Calendar = Type.String({ description: 'An iCalendar object (RFC 5545).' });

const { page: _page, limit: _limit, ...filters } = EventListQuery.properties;
/** The filters of GET /v1/events, without its pages. */
export const CalendarQuery = Type.Object(filters satisfies TProperties);

export const CalendarAddress = Type.Object({
  url: Type.String({
    description: 'Give it to a calendar program. Whoever has it sees the calendar; it is shown this once.',
    examples: [
      'https://events.example.org/v1/calendars/pc_AZei9GweejSaUS8Mim3g4ZbO2uKqk4kH3mTfMYmFvd2W1QAHCu9XgQ.ics',
    ],
  }),
});

export const CalendarState = Type.Object({
  exists: Type.Boolean({ description: 'Whether there is an address that holds.' }),
  createdAt: nullable(timestamp(), { description: 'When it was made; null when there is none.' }),
});

export const CalendarParams = Type.Object({
  secret: Type.String({ description: 'From POST /v1/me/calendar.' }),
});
