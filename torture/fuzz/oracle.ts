/**
 * Predicts from the OpenAPI document whether a request must be accepted, must be refused, or may be either.
 * The schemas decide, together with the few rules that a schema cannot express, which this file implements
 * independently. A mistake in the schemas is repeated here: spec-oracle.ts decides without them.
 */

import type { ValidateFunction } from 'ajv';
import { dayMs, parseDay, parseTimestamp, withPlus } from '#base';
import { createBodyValidator } from '../../src/http/validation.ts';
import { eventFilters } from '../../test/operations/fields.ts';
import type { Parameter, Schema } from '../../test/operations/openapi-operations.ts';
import { fitsCurrency } from './price-decimals.ts';

/**
 * - `fits`: valid.
 * - `shape`: violates a schema; always a 400.
 * - `sense`: violates another rule; a 4xx, but not necessarily a 400, because access is checked first.
 * - `open`: depends on the state of the server.
 */
export type Verdict = 'fits' | 'shape' | 'sense' | 'open';

export type Operation = {
  method: string;
  path: string;
  access: 'public' | 'optional' | 'required';
  body: Schema | null;
  query: Parameter[];
};

const ajv = createBodyValidator();
const compiled = new Map<Schema, ValidateFunction>();

function fits(schema: Schema, value: unknown): boolean {
  // Wrapped in an object, because Ajv applies defaults only to properties.
  const validate = compiled.get(schema) ?? ajv.compile({ type: 'object', properties: { value: schema } });
  compiled.set(schema, validate);
  return validate({ value });
}

const isWellFormed = (text: string) => !text.includes('\0') && text.isWellFormed();

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return isWellFormed(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isStorable);
}

type EventBody = {
  startAt?: string;
  endAt?: string;
  allDay?: boolean;
  timezone?: string;
  price?: number;
  currency?: string;
  isPriceKnown?: boolean;
  rsvpUntil?: string | null;
};

/** Whether a local day starts at this time: the millisecond before has another date. */
function isStartOfDay(at: Date, timezone: string): boolean {
  const dateAt = (ms: number) =>
    Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDate();
  return !dateAt(at.getTime()).equals(dateAt(at.getTime() - 1));
}

/**
 * Checks the rules between the fields of an event. The values of fields that a PATCH or a copy omits are unknown here.
 */
function judgeEvent(isNew: boolean, body: EventBody): Verdict {
  const { startAt, endAt, allDay, timezone, price, isPriceKnown, rsvpUntil } = body;
  const [start, end] = [startAt, endAt].map((at) => (at === undefined ? null : parseTimestamp(at)));
  const days = start && end ? (end.getTime() - start.getTime()) / dayMs : 1;
  if (days <= 0 || days > 367) return 'sense';
  const until = typeof rsvpUntil === 'string' ? parseTimestamp(rsvpUntil) : null;
  if (until && end && until > end) return 'sense';
  if (isPriceKnown === false && (price ?? 0) > 0) return 'sense';
  const hasFittingPrice = fitsCurrency(isNew, body);
  if (hasFittingPrice === false) return 'sense';
  if (isNew && allDay && timezone && start && end)
    if (!isStartOfDay(start, timezone) || !isStartOfDay(end, timezone)) return 'sense';
  const isPriceOpen = hasFittingPrice === null || (!isNew && isPriceKnown === false && price === undefined);
  // The default timezone is that of the place or of the existing event, unknown here.
  const areDaysOpen = isNew ? allDay && !timezone : allDay || (allDay === undefined && (start || end));
  const areTimesOpen = Boolean(start) !== Boolean(end) || (!isNew && Boolean(end) !== Boolean(until));
  // 366 days are valid. A clock change may make 366 whole days longer by an hour.
  const isLengthOpen = days > 366;
  return isPriceOpen || areDaysOpen || areTimesOpen || isLengthOpen ? 'open' : 'fits';
}

type AnswerBody = { status?: string | null };

/**
 * Whether a valid body can be a 400: contacts, of which one is given, codes that the program does not know, claims, which need the
 * status `going`, and the name of a guest, which the invitation may have.
 */
export const hasRulesOfItsOwn = (path: string, body: object): boolean =>
  /\/guest-(code|rsvp)$|\/invitations$|\/invitation\/answer$/.test(path) ||
  // Which rules and dates a series takes depends on its event.
  /\/series(\/\{id\}(\/items)?)?$|\/repeat$/.test(path) ||
  (/\/guests$|\/answer$/.test(path) && JSON.stringify(body).includes('"claims"')) ||
  (/\/invitations\/\{id\}$/.test(path) && ['email', 'phone', 'country'].some((name) => name in body));

/** @param body the parsed body; undefined if none was sent */
export function judgeBody({ path, body: schema }: Operation, body: unknown): Verdict {
  if (!schema) {
    const isEmpty =
      body === undefined ||
      body === null ||
      (typeof body === 'object' && !Array.isArray(body) && Object.keys(body).length === 0);
    return isEmpty ? 'fits' : 'shape';
  }
  if (!fits(schema, structuredClone(body)) || !isStorable(body)) return 'shape';
  const { phone, email, avatar } = body as Record<string, string | null | undefined>;
  if (phone != null && !/^\+1415555\d{4}$/.test(phone)) return 'open';
  if (email != null && !email.includes('@')) return 'sense';
  if (email != null && !/^fuzz\.\d+@example\.org$/.test(email)) return 'open';
  // The account may have no such contact.
  if (path === '/v1/me/contact-code') return 'open';
  if (hasRulesOfItsOwn(path, body as object)) return 'open';
  // What is declined has a reply, and nothing else.
  if (path.endsWith('/rsvp') && 'reply' in (body as object) && (body as AnswerBody).status !== 'declined')
    return 'sense';
  // From now to the end of the event.
  if (path.includes('/announcements') && (body as { sendAt?: string }).sendAt !== undefined) return 'open';
  // A generated URL never names an upload.
  if (path === '/v1/me' && avatar) return 'sense';
  if (path.startsWith('/v1/events')) return judgeEvent(path === '/v1/events', body as EventBody);
  return 'fits';
}

/** The number syntax of JSON. */
const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

function isParameter({ schema }: Parameter, text: string): boolean {
  if (!isWellFormed(text)) return false;
  if (schema.type === 'boolean') return text === 'true' || text === 'false';
  if (schema.type !== 'number' && schema.type !== 'integer') return fits(schema, text);
  return jsonNumber.test(text) && Number.isFinite(Number(text)) && fits(schema, Number(text));
}

/** Images, calendars and routes outside /v1 ignore unknown parameters. */
const refusesUnknownParameters = (path: string): boolean =>
  path.startsWith('/v1/') && !/\.(svg|webp|ics)$/.test(path);

export function judgeQuery({ path, query }: Operation, sent: [string, string][]): Verdict {
  const values = new Map(sent);
  // A repeated parameter is a list, and no parameter accepts lists.
  if (values.size < sent.length || !isStorable(sent)) return 'shape';
  const isKnown = (name: string) => query.some((parameter) => parameter.name === name);
  if (refusesUnknownParameters(path) && sent.some(([name]) => !isKnown(name))) return 'shape';
  for (const parameter of query) {
    const text = values.get(parameter.name);
    if (text === undefined ? parameter.required : !isParameter(parameter, text)) return 'shape';
  }
  // Cursors and tokens are opaque.
  if (values.has('cursor') || values.has('token')) return 'open';
  if (['/v1/events', '/v1/events.ics', '/v1/events/map'].includes(path)) return judgeListQuery(values);
  if (path === '/v1/events/search' || path === '/v1/places')
    return values.get('q')?.trim() ? 'fits' : 'sense';
  // How many words a text has depends on its script.
  if (path === '/v1/events/suggest') return values.get('q')?.trim() ? 'open' : 'sense';
  if (path === '/v1/users/search') {
    const q = values.get('q') ?? '';
    if ([...q.normalize().trim()].length < 2) return 'sense';
    // The server ignores characters other than letters and digits, so the effective query may be too short.
    return /^[\p{L}\p{N} ]{2,}$/u.test(q) ? 'fits' : 'open';
  }
  return 'fits';
}

const filters = ['bbox', 'collapse', ...Object.keys(eventFilters)];

/** The list by change has no filters, no numbered pages, and no times of more than 30 days ago. */
function judgeCopy(values: Map<string, string>): Verdict {
  const isOther =
    (values.get('order') ?? 'updated') !== 'updated' ||
    Number(values.get('page') ?? 1) !== 1 ||
    filters.some((name) => !['', 'false'].includes(values.get(name) ?? ''));
  if (isOther) return 'sense';
  const text = withPlus(values.get('updatedSince') ?? '');
  const since = parseDay(text) ?? parseTimestamp(text);
  const age = since ? Date.now() - since.getTime() : 0;
  if (Math.abs(age - 30 * dayMs) < dayMs / 10) return 'open';
  return age > 30 * dayMs ? 'sense' : 'fits';
}

function judgeListQuery(values: Map<string, string>): Verdict {
  if (values.has('updatedSince') || values.get('order') === 'updated') return judgeCopy(values);
  if (values.has('lat') !== values.has('lng')) return 'sense';
  if (values.has('radius') && !values.has('lat')) return 'sense';
  if (values.get('order') === 'distance') {
    const events = Number(values.get('page') ?? 1) * Number(values.get('limit') ?? 20);
    if (!values.has('lat') || events > 10_000) return 'sense';
  }
  return worse(judgeRange(values, 'dateFrom', 'dateTo'), judgeRange(values, 'startFrom', 'startTo'));
}

function judgeRange(values: Map<string, string>, ...names: [string, string]): Verdict {
  const [from, to] = names.map((name) => values.get(name)).map((text) => text && withPlus(text));
  if (!from || !to) return 'fits';
  const first = parseDay(from) ?? parseTimestamp(from);
  const day = parseDay(to);
  const last = day ? new Date(day.getTime() + 86_399_999) : parseTimestamp(to);
  return first && last && last >= first ? 'fits' : 'sense';
}

export const worse = (a: Verdict, b: Verdict): Verdict =>
  (['shape', 'sense', 'open'] as const).find((verdict) => a === verdict || b === verdict) ?? 'fits';
