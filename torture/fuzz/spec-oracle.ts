/**
 * Predicts from the hand-written specification alone whether a request must be accepted or refused, and
 * checks the fields of responses. The other oracle (oracle.ts) reads the same from the server's OpenAPI
 * document; a request must agree with both.
 */

import { operations } from '../../test/operations/all.ts';
import type { Operation, QueryRule } from '../../test/operations/operation.ts';
import { dateMs, judgeObject, timestampMs } from '../../test/operations/rules.ts';
import { hasRulesOfItsOwn, type Verdict } from './oracle.ts';
import { fitsCurrency } from './price-decimals.ts';
import {
  type Check,
  type Checks,
  checksOf,
  isCount,
  isFilled,
  isFlag,
  isList,
  isObject,
  isOneOf,
  isTime,
  wrongFields,
} from './record-checks.ts';

/**
 * Compares the operations of the OpenAPI document with those of the specification. @returns the differences
 */
export function compareOperations(paths: Record<string, Record<string, unknown>>): string[] {
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const known = Object.keys(operations);
  return [
    ...documented.filter((name) => !operations[name]).map((name) => `${name} is not in the specification`),
    ...known.filter((name) => !documented.includes(name)).map((name) => `${name} is not in the document`),
  ];
}

export function specOf(name: string): Operation {
  const spec = operations[name];
  if (!spec) throw new Error(`${name} is not in the specification`);
  return spec;
}

/** @param body the parsed body; undefined if none was sent */
export function judgeBySpec(name: string, query: [string, string][], body: unknown): Verdict {
  const spec = specOf(name);
  // The table of tests has the orders that need no other parameter.
  const asksForDistance = query.some(([field, value]) => field === 'order' && value === 'distance');
  const judged = asksForDistance ? query.filter(([field]) => field !== 'order') : query;
  const verdicts: Verdict[] = [judgeQuery(name, spec, judged), ...(asksForDistance ? ['open' as const] : [])];
  if (spec.body) {
    const verdict = judgeObject(spec.body, body);
    verdicts.push(verdict, verdict === 'fits' ? judgeFields(name, body as EventFields) : verdict);
  } else if (body !== undefined) verdicts.push('open');
  return (['shape', 'sense', 'open'] as const).find((verdict) => verdicts.includes(verdict)) ?? 'fits';
}

type EventFields = {
  startAt?: string;
  endAt?: string;
  allDay?: boolean;
  price?: number;
  currency?: string;
  isPriceKnown?: boolean;
  rsvpUntil?: string | null;
  avatar?: string | null;
  status?: string | null;
  reply?: string;
};

const eventWrites = ['POST /v1/events', 'PATCH /v1/events/{id}', 'POST /v1/events/{id}/duplicate'];

/** Rules between fields, and fields whose meaning depends on the state of the server. */
function judgeFields(name: string, fields: EventFields): Verdict {
  if (name === 'PATCH /v1/me') return fields.avatar ? 'open' : 'fits';
  // The account may have no such contact.
  if (name === 'POST /v1/me/contact-code') return 'open';
  if (hasRulesOfItsOwn(name, fields)) return 'open';
  if (name === 'POST /v1/events/{id}/rsvp' && fields.reply !== undefined && fields.status !== 'declined')
    return 'sense';
  // From now to the end of the event.
  if (name.includes('/announcements') && (fields as { sendAt?: string }).sendAt !== undefined) return 'open';
  if (!eventWrites.includes(name)) return 'fits';
  const { startAt, endAt, allDay, price, isPriceKnown, rsvpUntil } = fields;
  const [start, end] = [startAt, endAt].map((at) => (at === undefined ? null : timestampMs(at)));
  const days = start != null && end != null ? (end - start) / 86_400_000 : 1;
  if (days <= 0 || days > 367) return 'sense';
  const until = typeof rsvpUntil === 'string' ? timestampMs(rsvpUntil) : null;
  if (until != null && end != null && until > end) return 'sense';
  if (isPriceKnown === false && (price ?? 0) > 0) return 'sense';
  const isNew = name === 'POST /v1/events';
  const hasFittingPrice = fitsCurrency(isNew, fields);
  if (hasFittingPrice === false) return 'sense';
  // Whole days need the zone; a change needs the fields that it leaves out.
  const dependsOnDays =
    allDay === true || (!isNew && (startAt !== undefined || endAt !== undefined || until !== null));
  const dependsOnPrice =
    hasFittingPrice === null || (!isNew && isPriceKnown === false && price === undefined);
  // An event has at most 366 days, and a clock change may make whole days longer by an hour.
  return dependsOnDays || dependsOnPrice || days > 366 ? 'open' : 'fits';
}

/** Images, calendars and routes outside /v1 ignore unknown parameters. */
const refusesUnknown = (name: string): boolean => / \/v1\//.test(name) && !/\.(svg|webp|ics)$/.test(name);

function judgeQuery(name: string, { query = {} }: Operation, sent: [string, string][]): Verdict {
  const values = new Map(sent);
  if (values.size < sent.length) return 'shape';
  for (const [parameter, { isRequired }] of Object.entries(query))
    if (isRequired && !values.has(parameter)) return 'shape';
  const verdicts = sent.map(([parameter, value]) => {
    const rule = Object.hasOwn(query, parameter) ? query[parameter] : undefined;
    if (rule) return judgeParameter(rule, value);
    return refusesUnknown(name) ? 'shape' : 'open';
  });
  verdicts.push(judgeParameters(name, values));
  return (['shape', 'sense', 'open'] as const).find((verdict) => verdicts.includes(verdict)) ?? 'fits';
}

function judgeParameter({ type, rule }: QueryRule, text: string): Verdict {
  if (type === 'text') return rule.judge(text);
  if (type === 'boolean') {
    if (text === 'true' || text === 'false') return 'fits';
    return /^(0|1|on|off|yes|no|)$/i.test(text) ? 'open' : 'shape';
  }
  if (/^(0|-?[1-9]\d{0,14})(\.\d{1,10})?$/.test(text)) return rule.judge(Number(text));
  // Whether `05`, `1e1` and `+5` are numbers, the specification does not say.
  return text !== '' && Number.isFinite(Number(text)) ? 'open' : 'shape';
}

const listsOfEvents = new Set(['GET /v1/events', 'GET /v1/events.ics', 'GET /v1/events/map']);

/** Rules between parameters. */
function judgeParameters(name: string, values: Map<string, string>): Verdict {
  if (name === 'GET /v1/users/search') {
    // Only letters and digits count, so other characters may leave too few.
    const q = values.get('q') ?? '';
    if ([...q.trim()].length < 2) return 'sense';
    return /^[a-zA-Z0-9]{2,}$/.test(q) ? 'fits' : 'open';
  }
  if (name === 'GET /v1/events/search' || name === 'GET /v1/places')
    return (values.get('q') ?? '').trim() === '' ? 'sense' : 'fits';
  // How many words a text has depends on its script.
  if (name === 'GET /v1/events/suggest') return (values.get('q') ?? '').trim() === '' ? 'sense' : 'open';
  if (!listsOfEvents.has(name)) return 'fits';
  if (values.has('updatedSince') || values.get('order') === 'updated') return judgeCopy(values);
  if (values.has('lat') !== values.has('lng')) return 'sense';
  if (values.has('radius') && !values.has('lat')) return 'sense';
  const ranges = [judgeRange(values, 'dateFrom', 'dateTo'), judgeRange(values, 'startFrom', 'startTo')];
  return (
    ranges.find((verdict) => verdict === 'sense') ?? ranges.find((verdict) => verdict === 'open') ?? 'fits'
  );
}

/** The list by change has no filters and no numbered pages, and goes back for 30 days. */
function judgeCopy(values: Map<string, string>): Verdict {
  const { order = 'updated', page = '1', updatedSince, limit: _, ...filters } = Object.fromEntries(values);
  if (order !== 'updated' || Number(page) !== 1) return 'sense';
  if (Object.values(filters).some((value) => value !== '' && value !== 'false')) return 'sense';
  if (updatedSince === undefined) return 'fits';
  const days = (Date.now() - (dateMs(updatedSince) ?? timestampMs(updatedSince) ?? 0)) / 86_400_000;
  if (Math.abs(days - 30) < 0.1) return 'open';
  return days > 30 ? 'sense' : 'fits';
}

function judgeRange(values: Map<string, string>, ...names: [string, string]): Verdict {
  const [from, to] = names.map((name) => values.get(name));
  if (from === undefined || to === undefined) return 'fits';
  const day = dateMs(to);
  const [first, last] = [
    dateMs(from) ?? timestampMs(from),
    day === null ? timestampMs(to) : day + 86_399_999,
  ];
  if (first === null || last === null) return 'open';
  return last < first ? 'sense' : 'fits';
}

type Fields = Record<string, unknown>;

const isRsvp = isOneOf('going', 'interested', null);
const foundPerson = checksOf('2.1');
const { isFollowing: _, ...person } = foundPerson;
const event = checksOf('2.4');
const listedEvent = { ...event, visibility: isOneOf('public') };
const fullEvent = { ...event, ...checksOf('2.5') };
const item: Checks = { ...checksOf('2.6'), claimsVersion: isCount };
const addedItem = Object.fromEntries(
  ['id', 'title', 'kind', 'quantityNeeded', 'quantityClaimed'].map((name) => [name, item[name] ?? isFilled]),
);
const isItem: Check = (value, context) => isObject(item)(value, context) && isNotOverclaimed(value);
const isNotOverclaimed = (value: unknown) => {
  const { quantityClaimed, quantityNeeded } = value as Record<string, number>;
  return (quantityClaimed ?? 0) <= (quantityNeeded ?? 0);
};
const eventPage = { data: isList(isObject(listedEvent)), meta: isObject(checksOf('2.8')) };
const success = { success: isOneOf(true) };
const claim = checksOf('2.7');
const follow = (isFollowing: boolean) => ({ isFollowing: isOneOf(isFollowing), followersCount: isCount });
const { hasAccount: _account, ...named } = person;
const me = {
  ...named,
  phone: isFilled,
  role: isOneOf('user', 'admin'),
  followersCount: isCount,
  followingCount: isCount,
  eventsCount: isCount,
  createdAt: isTime,
};

/** The fields of the responses that the specification describes, by section. */
const responses: Record<string, Checks> = {
  'GET /v1/users/search': { data: isList(isObject(foundPerson)) },
  'GET /v1/users/{id}': checksOf('2.2'),
  'POST /v1/users/{id}/follow': follow(true),
  'DELETE /v1/users/{id}/follow': follow(false),
  'POST /v1/users/{id}/block': { isBlocked: isOneOf(true) },
  'DELETE /v1/users/{id}/block': { isBlocked: isOneOf(false) },
  'PATCH /v1/me': me,
  'GET /v1/auth/me': me,
  'DELETE /v1/me': success,
  'GET /v1/events': eventPage,
  'GET /v1/events/search': eventPage,
  'GET /v1/events/{id}': fullEvent,
  'POST /v1/events': fullEvent,
  'PATCH /v1/events/{id}': fullEvent,
  'POST /v1/events/{id}/duplicate': { ...fullEvent, rsvpCount: isOneOf(0), visibility: isOneOf('private') },
  'POST /v1/events/{id}/rsvp': { myRsvp: isRsvp, rsvpCount: isCount, myRequest: isOneOf(null) },
  'POST /v1/events/{id}/save': { isSaved: isFlag },
  'GET /v1/events/{id}/items': { data: isList(isItem) },
  'POST /v1/events/{id}/items': { ...addedItem, quantityClaimed: isOneOf(0) },
  'PATCH /v1/items/{id}': item,
  'DELETE /v1/items/{id}': success,
  'POST /v1/items/{id}/claim': claim,
  'PATCH /v1/items/{id}/claim': claim,
  'DELETE /v1/items/{id}/claim': success,
};

export type SpecResponse = { status: number; body: unknown };

/** @returns what is wrong with an accepted request's response, or null */
export function findWrongResponse(
  name: string,
  { hasToken, query, body: sent }: { hasToken: boolean; query: [string, string][]; body: unknown },
  { status, body }: SpecResponse,
): string | null {
  const spec = specOf(name);
  if (status !== spec.status) return `the status ${status} instead of ${spec.status}`;
  const wrong = wrongFields(responses[name] ?? {}, body as Fields, { hasToken });
  if (wrong.length > 0) return `a response whose ${wrong.join(', ')} differ from the specification`;
  return findWrongEcho(name, sent, body) ?? findWrongPage(name, query, body);
}

/** The limits that the specification names where the request has none. */
const defaultLimits: Record<string, number> = { 'GET /v1/users/search': 10, 'GET /v1/places': 10 };

function findWrongPage(name: string, query: [string, string][], body: unknown): string | null {
  const { data, meta } = (body ?? {}) as { data?: unknown; meta?: { page: number; limit: number } };
  if (!specOf(name).query?.limit || !Array.isArray(data)) return null;
  const sent = new Map(query);
  const limit = Number(sent.get('limit') ?? defaultLimits[name] ?? 20);
  if (data.length > limit) return `more than ${limit} elements`;
  if (meta && (meta.limit !== limit || meta.page !== Number(sent.get('page') ?? 1)))
    return 'a page or limit other than requested';
  return null;
}

const ofEvents = ['startAt', 'endAt', 'category', 'template', 'coverUrl', 'enabledModules'];
/** Of operations whose responses repeat the fields of the request: the fields that a response has in another form, or lacks. */
const notRepeated: Record<string, string[]> = {
  'PATCH /v1/me': ['username', 'avatar'],
  'POST /v1/events': ofEvents,
  'PATCH /v1/events/{id}': ofEvents,
  'POST /v1/events/{id}/items': ['description', 'emoji', 'link', 'imageUrl'],
  'PATCH /v1/items/{id}': ['description'],
  'POST /v1/items/{id}/claim': ['note'],
  'PATCH /v1/items/{id}/claim': ['note'],
};

function findWrongEcho(name: string, sent: unknown, body: unknown): string | null {
  const [fields, response] = [(sent ?? {}) as Fields, body as Fields];
  const wrong = Object.keys(notRepeated[name] ? fields : {}).filter(
    (field) =>
      !notRepeated[name]?.includes(field) &&
      canonical(expectedOf(field, fields[field], response)) !== canonical(response[field]),
  );
  if (name === 'POST /v1/events/{id}/rsvp' && fields.status !== response.myRsvp) wrong.push('myRsvp');
  if (name === 'POST /v1/events/{id}/save' && fields.saved !== response.isSaved) wrong.push('isSaved');
  return wrong.length > 0 ? `a response whose ${wrong.join(', ')} differ from the request` : null;
}

/** A place is exact unless the request says that it is not. Without a place, the town is not. */
function expectedOf(field: string, sent: unknown, { locationKind }: Fields): unknown {
  if (field !== 'location') return sent;
  return { isExact: true, ...(sent as Fields), ...(locationKind !== 'place' && { isExact: false }) };
}

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
