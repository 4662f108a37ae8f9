/** Queries of event lists and maps, and the map. */
import { type Static, type TProperties, Type } from 'typebox';
import { latitude, longitude, named, oneOf, page, pageLimit, ref } from '../../http/schemas.ts';
import { Category } from '../events/catalogue-schemas.ts';
import { CommonEvent } from '../events/schemas.ts';
import { collapse } from '../events/start-pages.ts';
import { tombstoneDays } from '../events/tombstones.ts';
import { Attribution, Place } from '../places/schemas.ts';
import { maxClusters, maxZoom } from './map/cluster-grid.ts';
import { maxOf } from './suggest/limits.ts';
import { traitParameters } from './traits.ts';

const timeOrDay = (description: string) =>
  Type.Optional(Type.String({ format: 'timestamp-or-day', description, examples: ['2026-12-24'] }));
const searchText = (description: string) => Type.String({ maxLength: 200, description, examples: ['jazz'] });

const bbox = (description: string) =>
  Type.String({
    format: 'bbox',
    maxLength: 200,
    description:
      `${description} In degrees: \`west,south,east,north\`. A \`west\` above \`east\` is a box across the antimeridian. ` +
      'Events on an edge are in the box.',
    examples: ['10.6,59.8,10.9,60'],
  });

/** Filters that lists and maps share. */
const filters = {
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
    'Events that end after this time; a date without a time is the start of that day in UTC. A date selects an all-day event ' +
      'by its days in its own zone.',
  ),
  dateTo: timeOrDay(
    'Events that begin at or before this time; a date without a time is the end of that day in UTC. A date selects an ' +
      'all-day event by its days in its own zone. Without `dateFrom`, ' +
      'the list has all earlier events, from the oldest on.',
  ),
  startFrom: timeOrDay(
    'Events that begin at or after this time. Unlike `dateFrom`, it leaves out events that have begun before.',
  ),
  startTo: timeOrDay(
    'Events that begin at or before this time. Unlike `dateTo`, it leaves out events that have ended.',
  ),
  q: Type.Optional(searchText('Words, or starts of words, in title, description and address.')),
  ...traitParameters,
} satisfies TProperties;

/** The filters of lists. */
export const eventFilters = {
  ...filters,
  bbox: Type.Optional(bbox('Only events in this box.')),
} satisfies TProperties;

/** Query of the list (specification 4.9). */
export const EventListQuery = Type.Object({
  ...eventFilters,
  order: Type.Optional(
    oneOf(['start', 'relevance', 'distance', 'updated'], {
      description:
        '`relevance`: the best match of `q` first. `distance`: the nearest to `lat` and `lng` first, on pages with the first ' +
        '10,000 events. `updated`: all public events, past ones too, by their last change, for a copy: without filters, and with ' +
        '`sync` in the response. Default: `start`, and `updated` with `updatedSince`.',
    }),
  ),
  updatedSince: timeOrDay(
    `\`syncedAt\` of an earlier response, at most ${tombstoneDays} days ago: only events that were added or changed since, and in ` +
      '`sync` the tombstones of those that lists no longer show.',
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: 500,
      description: '`sync.nextCursor` of the page before, with the other parameters of the first page.',
    }),
  ),
  collapse,
  page,
  limit: pageLimit,
});
export type EventListQuery = Static<typeof EventListQuery>;

/** Query of the search (specification 4.10). */
export const EventSearchQuery = Type.Object({
  q: searchText('Words, or starts of words.'),
  collapse,
  page,
  limit: pageLimit,
});

/** Query of the map: the filters of the list, without its pages. */
export const EventMapQuery = Type.Object({
  bbox: bbox('The box.'),
  zoom: Type.Integer({
    minimum: 0,
    maximum: maxZoom,
    description:
      'The zoom of a map whose world is 256 pixels wide at zoom 0. Where the world is 512 pixels wide, add 1.',
    examples: [11],
  }),
  collapse: Type.Optional(
    oneOf(['series'], { description: 'With `series`: of each series one occurrence for each place.' }),
  ),
  ...filters,
});

/** Query of suggestions. */
export const SuggestionQuery = Type.Object({
  q: Type.String({
    maxLength: 100,
    description: 'What a person has typed: the start of a place, or words of at most ten different ones.',
    examples: ['sourdouh'],
  }),
});

const { name, country, region, lat, lng } = Place.properties;
const { id, title, startAt, timezone, allDay, location } = CommonEvent.properties;
const eventsCount = (list: string) =>
  Type.Integer({ minimum: 0, description: `The number of events: the \`total\` of ${list}.`, examples: [3] });

export const EventSuggestions = named(
  'EventSuggestions',
  Type.Object({
    data: Type.Object({
      places: Type.Array(
        Type.Object({
          name,
          country,
          region,
          lat,
          lng,
          eventsCount: eventsCount('GET /v1/events with `lat` and `lng`'),
        }),
        {
          maxItems: maxOf.places,
          description: 'Towns whose name, or other name, starts with `q`, as GET /v1/places.',
        },
      ),
      categories: Type.Array(ref(Category), {
        maxItems: maxOf.categories,
        description: 'Categories whose slug or English name has words that start with those of `q`.',
      }),
      events: Type.Array(Type.Object({ id, title, startAt, timezone, allDay, location }), {
        maxItems: maxOf.events,
        description: 'The first events of GET /v1/events/search that have all words of `q` in the title.',
      }),
      corrections: Type.Array(
        Type.Object({
          q: Type.String({
            description: 'The words of `q`, in small letters without accents, with corrected ones.',
            examples: ['sourdough'],
          }),
          eventsCount: eventsCount('GET /v1/events/search with this `q`'),
        }),
        {
          maxItems: maxOf.corrections,
          description:
            'If no event has all words of `q`: texts in which the words that find nothing are replaced by words of events ' +
            'that differ by one letter, or by up to two from five letters on. The nearest first. Words of one or two ' +
            'letters are not corrected.',
        },
      ),
    }),
    attribution: Attribution,
  }),
);

const EventCluster = named(
  'EventCluster',
  Type.Object({
    lat: Type.Number({ description: 'The mean of the coordinates of the events.', examples: [59.9127] }),
    lng: Type.Number({ examples: [10.7461] }),
    count: Type.Integer({ minimum: 1, description: 'The number of events.', examples: [12] }),
    bbox: Type.Array(Type.Number(), {
      minItems: 4,
      maxItems: 4,
      description: 'The smallest box with all events of the cluster: west, south, east, north.',
      examples: [[10.7291, 59.9106, 10.7601, 59.9151]],
    }),
    eventId: Type.Optional(
      Type.String({
        description: 'The id of the event, if the cluster is a single event; absent otherwise.',
        examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1'],
      }),
    ),
  }),
);

export const EventMap = named(
  'EventMap',
  Type.Object({
    data: Type.Array(ref(EventCluster), { maxItems: maxClusters }),
    meta: Type.Object({
      total: Type.Integer({ description: 'The number of events in the box.', examples: [12] }),
      zoom: Type.Integer({ description: 'The zoom of the grid: at most that of the query.', examples: [11] }),
    }),
  }),
);
