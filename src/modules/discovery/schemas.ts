/** Queries of event lists. */
import { type Static, Type } from 'typebox';
import { page, pageLimit } from '../../http/schemas.ts';
import { latitude, longitude } from '../events/schemas.ts';

const timeOrDay = (description: string) =>
  Type.Optional(Type.String({ format: 'timestamp-or-day', description, examples: ['2026-12-24'] }));
const searchText = (description: string) => Type.String({ maxLength: 200, description, examples: ['jazz'] });

/** Query of the list (specification 4.9). */
export const EventListQuery = Type.Object({
  lat: Type.Optional(
    Type.Number({ ...latitude, description: 'With `lng`: only events within `radius` of this place.' }),
  ),
  lng: Type.Optional(longitude),
  radius: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 20_040,
      description: 'In km along the surface of the earth. Default: 50.',
    }),
  ),
  category: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'A slug of GET /v1/categories; an unknown slug matches no event.',
    }),
  ),
  dateFrom: timeOrDay(
    'Events that end after this time; a date without a time is the start of that day in UTC.',
  ),
  dateTo: timeOrDay(
    'Events that begin at or before this time; a date without a time is the end of that day in UTC.',
  ),
  q: Type.Optional(searchText('Words, or starts of words, in title, description and address.')),
  page,
  limit: pageLimit,
});
export type EventListQuery = Static<typeof EventListQuery>;

/** Query of the search (specification 4.10). */
export const EventSearchQuery = Type.Object({
  q: searchText('Words, or starts of words.'),
  page,
  limit: pageLimit,
});
