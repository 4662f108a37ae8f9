import { type Static, Type } from 'typebox';
import { named, ref } from '../../http/schemas.ts';

export const PlaceQuery = Type.Object({
  q: Type.String({
    maxLength: 300,
    description:
      'The start of the name or of a later word of it, or of another name of the town, without regard to case, accents ' +
      'and punctuation: `york` finds New York, and `göteborg` finds Gothenburg. Or an address: if no name starts with ' +
      'it, the town in it is searched for, as in `Götgatan 5, 411 05 Göteborg` and `350 5th Ave, New York, NY 10118`.',
    examples: ['osl'],
  }),
  near: Type.Optional(
    Type.String({
      format: 'lat-lng',
      maxLength: 100,
      description:
        'A place as `lat,lng` in degrees. Places near it come first, and elements have `distanceKm`.',
      examples: ['59.91,10.75'],
    }),
  ),
  street: Type.Boolean({
    default: false,
    description:
      'Whether streets are searched for, if the operator has set `GEOCODER_URL`: each element is then the spot of a street, with the ' +
      'town as `name`, and `population` 0. Ask when a person has finished typing: all searches of a server share one request a second. ' +
      'While the geocoder fails, or finds nothing, the elements are towns.',
  }),
  limit: Type.Integer({
    minimum: 1,
    maximum: 50,
    default: 10,
    description: 'The maximum number of places.',
  }),
});

export const Place = named(
  'Place',
  Type.Object({
    name: Type.String({ examples: ['Oslo'] }),
    country: Type.String({ description: 'ISO 3166-1 alpha-2.', examples: ['NO'] }),
    region: Type.Optional(
      Type.String({
        description:
          'The abbreviation of the state or province in Australia, Canada and the United States; absent elsewhere.',
        examples: ['IL'],
      }),
    ),
    lat: Type.Number({ examples: [59.91273] }),
    lng: Type.Number({ examples: [10.74609] }),
    population: Type.Integer({ description: '0 if it is not known.', examples: [580_000] }),
    timeZone: Type.String({ description: 'IANA time zone.', examples: ['Europe/Oslo'] }),
    isWholeName: Type.Boolean({
      description: 'Whether `q`, or the town in its address, is a whole name of the place.',
    }),
    address: Type.Optional(
      Type.Object(
        {
          street: Type.String({
            description: 'What stands in front of the town; all of it if something stands behind the town.',
            examples: ['Götgatan 5, 411 05'],
          }),
          town: Type.String({ description: 'The town as `q` names it.', examples: ['Göteborg'] }),
        },
        { description: 'The parts of an address; absent if `q` is none.' },
      ),
    ),
    isExact: Type.Optional(
      Type.Literal(true, {
        description: 'The coordinates are those of the street in `address`; absent for a town.',
      }),
    ),
    distanceKm: Type.Optional(Type.Number({ description: 'Distance from `near`; absent without it.' })),
  }),
);
export type Place = Static<typeof Place>;

export const Attribution = Type.String({
  description: 'The source of the places. Show it wherever you show places.',
  examples: ['GeoNames (https://www.geonames.org), CC BY 4.0'],
});

const day = (description: string, example: string) =>
  Type.String({ format: 'date', description, examples: [example] });
const PlacesSource = Type.Object(
  {
    names: day('The day of the names and coordinates.', '2026-09-26'),
    populations: day('The day of the populations.', '2023-03-05'),
  },
  { description: 'How old the data is.' },
);

export const PlaceList = named(
  'PlaceList',
  Type.Object({ data: Type.Array(ref(Place)), attribution: Attribution, source: PlacesSource }),
);
