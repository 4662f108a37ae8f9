/**
 * The content of the demo. The JSON files in `data/` hold it; the schemas here give it types, and a test
 * checks it.
 */
import { type Static, type TSchema, Type } from 'typebox';
import { body, oneOf } from '../../http/schemas.ts';
import { MeChange } from '../../modules/accounts/profile/schemas.ts';
import { NewEvent } from '../../modules/events/schemas.ts';
import { NewItem, note } from '../../modules/items/schemas.ts';
import eventSeriesJson from './data/event-series.json' with { type: 'json' };
import eventsJson from './data/events.json' with { type: 'json' };
import itemListsJson from './data/item-lists.json' with { type: 'json' };
import messagesJson from './data/messages.json' with { type: 'json' };
import peopleJson from './data/people.json' with { type: 'json' };
import placesJson from './data/places.json' with { type: 'json' };
import relationsJson from './data/relations.json' with { type: 'json' };

/** The time zone of all places. */
export const timezone = 'Europe/Stockholm';
/** In the order of `dayOfWeek`, which is 1 for Monday. */
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

const keysOf = <K extends string>(json: Record<K, object>) => Object.keys(json) as K[];
export const personKeys = keysOf(peopleJson);
export type PersonKey = keyof typeof peopleJson;

const personKey = oneOf(personKeys);
const pair = { from: personKey, to: personKey };
/** An object that has exactly the given keys. */
const objectOf = <K extends string, S extends TSchema>(keys: K[], value: S) =>
  Type.Unsafe<Record<K, Static<S>>>(body(Object.fromEntries(keys.map((key) => [key, value]))));

const { name, username, bio, city } = Type.Required(MeChange).properties;
const person = body({
  phone: Type.String({ pattern: '^\\+120255501\\d\\d$', description: 'A number reserved for fiction.' }),
  name,
  username,
  bio,
  city,
  role: Type.Optional(oneOf(['admin'])),
  isPrivate: Type.Optional(Type.Boolean()),
});

const { kind: _, ...itemFields } = NewItem.properties;
const demoItem = body({
  ...itemFields,
  /** What exactly the first people bring who claim the item. */
  notes: Type.Optional(Type.Array(note)),
});
const itemList = Type.Array(demoItem);
const itemListOrKey = Type.Union([oneOf(keysOf(itemListsJson)), itemList]);

const { category, template, price, capacity, visibility, location } = NewEvent.properties;
const eventFields = {
  title: NewEvent.properties.title,
  description: Type.String({ minLength: 1 }),
  organizer: personKey,
  place: oneOf(keysOf(placesJson)),
  category,
  template,
  price,
  capacity,
  visibility,
  status: Type.Optional(oneOf(['cancelled'])),
  bring: Type.Optional(itemListOrKey),
  wish: Type.Optional(itemListOrKey),
  /** In the order of booking. A booking that finds too few free seats joins the waitlist. */
  bookings: Type.Optional(Type.Array(body({ person: personKey, seats: Type.Integer({ minimum: 1 }) }))),
};

/** The local start time on the given weekday, and the length. Week 0 is the seven days from tomorrow on. */
const schedule = body({
  week: Type.Integer({ minimum: 0, maximum: 7 }),
  day: oneOf(weekdays),
  time: Type.String({ pattern: '^\\d\\d:\\d\\d$' }),
  hours: Type.Number({ exclusiveMinimum: 0 }),
});
const event = body({ ...eventFields, schedule });
/** An event on several dates. The fields of a date replace those of the series. */
const eventSeries = body({
  ...eventFields,
  dates: Type.Array(body({ ...Type.Partial(body(eventFields)).properties, schedule })),
});

export const DemoData = body({
  people: objectOf(personKeys, person),
  places: objectOf(keysOf(placesJson), location),
  itemLists: objectOf(keysOf(itemListsJson), itemList),
  events: Type.Array(event),
  eventSeries: Type.Array(eventSeries),
  /** Each conversation is in the order of its messages. */
  messages: Type.Array(body({ hoursAgo: Type.Number(), ...pair, text: Type.String({ minLength: 1 }) })),
  relations: body({ follows: Type.Array(body(pair)), blocks: Type.Array(body(pair)) }),
});
type DemoData = Static<typeof DemoData>;
export type DemoEvent = Static<typeof event>;
export type DemoItem = Static<typeof demoItem>;
export type ItemListOrKey = Static<typeof itemListOrKey>;
export type Pair = { from: PersonKey; to: PersonKey };

export const demoData = {
  people: peopleJson,
  places: placesJson,
  itemLists: itemListsJson,
  events: eventsJson,
  eventSeries: eventSeriesJson,
  messages: messagesJson,
  relations: relationsJson,
} as DemoData;
