/**
 * Every operation, written by hand from the specification and, where it is silent, from the contract in
 * docs/decisions: access, status, and the rule of each field and parameter. An operation that the OpenAPI
 * document has and this table lacks is a fault, and so is the reverse.
 */
import {
  coordinates,
  currency,
  emoji,
  flag,
  httpUrl,
  integer,
  line,
  listOf,
  number,
  type ObjectRule,
  object,
  oneOf,
  opaque,
  orNull,
  personName,
  prose,
  quantity,
  type Rule,
  setOf,
  timestamp,
  timestampOrDay,
  timeZone,
  username,
} from './rules.ts';

export type QueryRule = { type: 'text' | 'number' | 'boolean'; rule: Rule; isRequired?: true };
export type SpecOperation = {
  access: 'public' | 'optional' | 'required';
  /** The status of success. */
  status: number;
  body?: ObjectRule;
  query?: Record<string, QueryRule>;
};

const text = (rule: Rule): QueryRule => ({ type: 'text', rule });
const needed = (rule: Rule): QueryRule => ({ type: 'text', rule, isRequired: true });
const numeric = (rule: Rule): QueryRule => ({ type: 'number', rule });

/** Specification 8: at most 50. */
const limit = numeric(integer(1, 50));
const cursorPage = { cursor: text(opaque), limit };
const page = { page: numeric(integer(1, 2_147_483_647)), limit };
/** Above half of the circumference of the earth, a larger radius changes nothing. */
const radius: Rule = {
  judge: (value) => {
    if (typeof value !== 'number' || value <= 0) return 'shape';
    return value <= 20_000 ? 'fits' : 'open';
  },
  good: [0.001, 1, 50, 20_000],
  bad: [0, -1],
};
const place = { lat: numeric(number(-90, 90)), lng: numeric(number(-180, 180)), radius: numeric(radius) };
const box = coordinates(4);
const notificationKinds = [
  ...['eventChanged', 'eventCancelled', 'reminder', 'bookingConfirmed', 'message'],
  ...['follower', 'rsvps', 'claims', 'bookings'],
];
const anyText = (max: number): QueryRule => text(prose(max));
const eventFilters = {
  ...place,
  category: anyText(100),
  dateFrom: text(timestampOrDay),
  dateTo: text(timestampOrDay),
  startFrom: text(timestampOrDay),
  startTo: text(timestampOrDay),
  q: anyText(200),
  isFree: { type: 'boolean', rule: flag },
} satisfies Record<string, QueryRule>;
/** The map has a box that is required. */
const inBox = { bbox: text(box) };

const categories = oneOf(
  'music',
  'food',
  'sports',
  'outdoors',
  'arts',
  'film',
  'games',
  'family',
  'learning',
  'tech',
  'community',
  'party',
  'wellbeing',
  'other',
);
const templates = oneOf(
  'general',
  'potluck',
  'birthday',
  'wedding',
  'picnic',
  'concert',
  'meetup',
  'conference',
);
const location = object({
  required: { address: line(1, 300), lat: number(-90, 90), lng: number(-180, 180) },
  optional: {},
});
const requiredOfEvents = {
  title: line(1, 140),
  startAt: timestamp,
  endAt: timestamp,
  location,
  category: categories,
};
const audience = oneOf('organizer', 'guests', 'everyone');
const optionalOfEvents = {
  description: prose(10_000),
  coverUrl: orNull(httpUrl),
  timezone: timeZone,
  allDay: flag,
  price: number(0, 1_000_000, { decimals: 2 }),
  isPriceKnown: flag,
  currency,
  capacity: integer(0, 1_000_000),
  visibility: oneOf('public', 'unlisted', 'private'),
  template: templates,
  enabledModules: setOf('bringList', 'wishList', 'booking'),
  guestListVisibility: audience,
  claimantVisibility: audience,
};
const title = line(1, 120);
const needs = integer(1, 10_000);
const newItem: ObjectRule = {
  required: { title, kind: oneOf('bring', 'wish'), quantityNeeded: needs },
  optional: {
    description: orNull(prose(1_000)),
    emoji,
    link: orNull(httpUrl),
    imageUrl: orNull(httpUrl),
  },
};
const seats = integer(1, 20);

const required = (status = 200): SpecOperation => ({ access: 'required', status });
const optional = (status = 200): SpecOperation => ({ access: 'optional', status });
const open = (status = 200): SpecOperation => ({ access: 'public', status });
const of = (fields: Record<string, Rule>, more: Record<string, Rule> = {}): { body: ObjectRule } => ({
  body: { required: fields, optional: more },
});
const asking = (query: Record<string, QueryRule>) => ({ query });

export const specification: Record<string, SpecOperation> = {
  // 4.1 to 4.8
  'GET /v1/users/search': {
    ...required(),
    ...asking({ q: needed(line(2, 100)), limit }),
  },
  'GET /v1/users/{id}': optional(),
  'POST /v1/users/{id}/follow': required(),
  'DELETE /v1/users/{id}/follow': required(),
  'POST /v1/users/{id}/block': required(),
  'DELETE /v1/users/{id}/block': required(),
  'PATCH /v1/me': {
    ...required(),
    ...of(
      {},
      {
        name: personName(80),
        username,
        bio: prose(500),
        city: line(0, 80),
        avatar: orNull(httpUrl),
        isPrivate: flag,
      },
    ),
  },
  'DELETE /v1/me': { ...required(), ...of({ confirmCode: opaque }) },
  // 4.9 to 4.13
  'GET /v1/events': {
    ...optional(),
    ...asking({ ...eventFilters, ...inBox, order: text(oneOf('start', 'relevance')), ...page }),
  },
  'GET /v1/events/search': { ...optional(), ...asking({ q: needed(prose(200)), ...page }) },
  'GET /v1/events/map': {
    ...optional(),
    ...asking({ bbox: needed(box), zoom: { ...numeric(integer(0, 22)), isRequired: true }, ...eventFilters }),
  },
  'GET /v1/events/{id}': optional(),
  'POST /v1/events/{id}/rsvp': {
    ...required(),
    ...of({ status: oneOf('going', 'interested', null) }, { extraGuests: integer(0, 10), isHidden: flag }),
  },
  'POST /v1/events/{id}/save': { ...required(), ...of({ saved: flag }) },
  // 4.14 to 4.18
  'GET /v1/events/{id}/items': { ...optional(), ...asking({ kind: text(oneOf('bring', 'wish')) }) },
  'POST /v1/events/{id}/items': { ...required(201), body: newItem },
  'DELETE /v1/items/{id}': required(),
  'POST /v1/items/{id}/claim': { ...required(201), ...of({ quantity }) },
  'DELETE /v1/items/{id}/claim': required(),

  // The rest is the contract where the specification is silent.
  'POST /v1/auth/otp/request': { ...open(202), ...of({ phone: opaque }, { deviceToken: prose(100) }) },
  'POST /v1/auth/otp/verify': {
    ...open(),
    ...of({ phone: opaque, code: opaque }, { deviceToken: prose(100) }),
  },
  'POST /v1/auth/browser-session': {
    ...open(),
    ...of({ phone: opaque, code: opaque }, { deviceToken: prose(100) }),
  },
  'POST /v1/auth/refresh': { ...open(), ...of({ refreshToken: opaque }) },
  'POST /v1/auth/logout': required(),
  'GET /v1/auth/me': required(),
  'GET /v1/auth/sessions': required(),
  'DELETE /v1/auth/sessions/{id}': required(),
  'POST /v1/me/delete-code': required(202),
  'GET /v1/me/events': {
    ...required(),
    ...asking({
      relation: needed(oneOf('organizing', 'going', 'interested', 'saved')),
      when: text(oneOf('upcoming', 'past')),
      ...cursorPage,
    }),
  },
  'GET /v1/me/claims': { ...required(), ...asking(cursorPage) },
  'GET /v1/me/blocks': { ...required(), ...asking(cursorPage) },
  'GET /v1/me/export': required(),
  'POST /v1/me/calendar': required(201),
  'GET /v1/me/calendar': required(),
  'DELETE /v1/me/calendar': required(),
  'GET /v1/calendars/{secret}.ics': open(),
  'GET /v1/users/{id}/avatar.svg': open(),
  'GET /v1/users/{id}/followers': { ...optional(), ...asking(cursorPage) },
  'GET /v1/users/{id}/following': { ...optional(), ...asking(cursorPage) },
  'GET /v1/users/{id}/events': {
    ...optional(),
    ...asking({ when: text(oneOf('upcoming', 'past')), ...cursorPage }),
  },
  'GET /v1/feed': { ...required(), ...asking(cursorPage) },
  'GET /v1/places': {
    ...open(),
    ...asking({ q: needed(prose(100)), near: text(coordinates(2)), limit }),
  },
  'GET /v1/categories': open(),
  'GET /v1/features': open(),
  'GET /v1/templates': open(),
  'POST /v1/events/{id}/items/batch': {
    ...required(201),
    ...of({ items: listOf(object(newItem), 1, 100) }),
  },
  'POST /v1/events': { ...required(201), ...of(requiredOfEvents, optionalOfEvents) },
  'PATCH /v1/events/{id}': {
    ...required(),
    ...of({}, { ...requiredOfEvents, ...optionalOfEvents, status: oneOf('scheduled', 'cancelled') }),
  },
  'POST /v1/events/{id}/duplicate': {
    ...required(201),
    ...of({ startAt: timestamp }, { endAt: timestamp }),
  },
  'DELETE /v1/events/{id}': required(),
  'GET /v1/events/{id}/cover.svg': { ...open(), ...asking({ category: text(opaque) }) },
  'GET /v1/events.ics': { ...optional(), ...asking({ ...eventFilters, ...inBox }) },
  'GET /v1/events/{id}/calendar.ics': optional(),
  'GET /v1/events/{id}/live': {
    ...optional(),
    ...asking({ once: { type: 'boolean', rule: flag }, lastEventId: text(opaque) }),
  },
  'POST /v1/events/{id}/booking': { ...required(201), ...of({ seats }, { waitlist: flag }) },
  'GET /v1/events/{id}/booking': required(),
  'PATCH /v1/events/{id}/booking': { ...required(), ...of({ seats }) },
  'DELETE /v1/events/{id}/booking': required(),
  'GET /v1/events/{id}/bookings': {
    ...required(),
    ...asking({ status: text(oneOf('booked', 'waiting')), ...cursorPage }),
  },
  'GET /v1/events/{id}/guests': {
    ...optional(),
    ...asking({ status: text(oneOf('going', 'interested')), ...cursorPage }),
  },
  'GET /v1/events/{id}/claims': { ...required(), ...asking(cursorPage) },
  'PATCH /v1/items/{id}': {
    ...required(),
    ...of(
      {},
      {
        title,
        quantityNeeded: needs,
        description: orNull(prose(1_000)),
        emoji,
        link: orNull(httpUrl),
        imageUrl: orNull(httpUrl),
      },
    ),
  },
  'PATCH /v1/items/{id}/claim': { ...required(), ...of({ quantity }) },
  'GET /v1/items/{id}/claims': { ...required(), ...asking(cursorPage) },
  'POST /v1/users/{id}/messages': { ...required(201), ...of({ text: prose(2_000, { min: 1 }) }) },
  'GET /v1/users/{id}/messages': { ...required(), ...asking(cursorPage) },
  'POST /v1/users/{id}/messages/read': required(),
  'GET /v1/conversations': { ...required(), ...asking(cursorPage) },
  'GET /v1/notifications': {
    ...required(),
    ...asking({ ...cursorPage, unread: { type: 'boolean', rule: flag } }),
  },
  'POST /v1/notifications/read': { ...required(), ...of({ upTo: opaque }) },
  'POST /v1/notifications/{id}/read': required(),
  'GET /v1/notifications/settings': required(),
  'PATCH /v1/notifications/settings': {
    ...required(),
    ...of({}, Object.fromEntries(notificationKinds.map((kind) => [kind, oneOf('off', 'inbox', 'push')]))),
  },
  'GET /v1/push/key': open(),
  'POST /v1/push/subscriptions': {
    ...required(201),
    ...of(
      { endpoint: httpUrl, keys: object({ required: { p256dh: opaque, auth: opaque }, optional: {} }) },
      { expirationTime: orNull(number(-1e300, 1e300)) },
    ),
  },
  'DELETE /v1/push/subscriptions/{id}': required(),
  'POST /v1/uploads': required(201),
  'GET /v1/uploads/{id}.webp': open(),
  'DELETE /v1/uploads/{id}': required(),
  'POST /v1/reports': {
    ...required(201),
    ...of(
      {
        subject: object({
          required: { type: oneOf('event', 'item', 'message', 'user'), id: opaque },
          optional: {},
        }),
        reason: oneOf('spam', 'scam', 'harassment', 'hate', 'violence', 'sexual', 'privacy', 'other'),
      },
      { text: prose(2_000) },
    ),
  },
  'GET /v1/admin/reports': {
    ...required(),
    ...asking({ status: text(oneOf('open', 'resolved')), ...cursorPage }),
  },
  'PATCH /v1/admin/reports/{id}': {
    ...required(),
    ...of({ status: oneOf('resolved') }, { note: prose(2_000) }),
  },
  'GET /v1/admin/users': {
    ...required(),
    ...asking({
      q: text(line(1, 100)),
      phone: text(opaque),
      suspended: { type: 'boolean', rule: flag },
      ...cursorPage,
    }),
  },
  'POST /v1/admin/users/{id}/suspend': { ...required(), ...of({}, { reason: prose(500) }) },
  'DELETE /v1/admin/users/{id}/suspend': required(),
  'PUT /v1/admin/users/{id}/role': { ...required(), ...of({ role: oneOf('user', 'admin') }) },
  'GET /v1/admin/flags': required(),
  'PUT /v1/admin/flags/{name}': { ...required(), ...of({ enabled: flag }) },
  'GET /v1/admin/audit': {
    ...required(),
    ...asking({
      since: text(timestampOrDay),
      until: text(timestampOrDay),
      userId: text(opaque),
      ...cursorPage,
    }),
  },
  'GET /healthz': open(),
  'GET /readyz': open(),
  'GET /metrics': open(),
};
