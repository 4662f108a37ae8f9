/**
 * What the OpenAPI document says of a request: whether it must be taken, must be refused, or may be either. Its schemas
 * decide, and beside them the few rules that a schema cannot say, written here once more.
 */
import type { ValidateFunction } from 'ajv';
import { createBodyValidator } from '../../src/http/validation.ts';
import { parseDay, parseTimestamp, withPlus } from '../../src/lib/time.ts';
import type { Parameter, Schema } from '../../test/openapi-operations.ts';

/** `shape`: refused with a 400 whatever else is true. `sense`: refused, but who may not ask at all learns that first. */
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
  // In an object, as a default is only one there.
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
  isPriceKnown?: boolean;
};

/** The local date differs from that of the millisecond before. */
function beginsDay(at: Date, timezone: string): boolean {
  const dateAt = (ms: number) =>
    Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDate();
  return !dateAt(at.getTime()).equals(dateAt(at.getTime() - 1));
}

/** The rules between the fields of an event. What a change leaves out is as the event has it, which is not known here. */
function judgeEvent(isNew: boolean, body: EventBody): Verdict {
  const { startAt, endAt, allDay, timezone, price, isPriceKnown } = body;
  const [start, end] = [startAt, endAt].map((at) => (at === undefined ? null : parseTimestamp(at)));
  if (start && end && end <= start) return 'sense';
  if (isPriceKnown === false && (price ?? 0) > 0) return 'sense';
  if (isNew && allDay && timezone && start && end)
    if (!beginsDay(start, timezone) || !beginsDay(end, timezone)) return 'sense';
  const isPriceOpen = !isNew && isPriceKnown === false && price === undefined;
  // Without a timezone it is that of the place, or of the event.
  const areDaysOpen = isNew ? allDay && !timezone : allDay || (allDay === undefined && (start || end));
  const areTimesOpen = Boolean(start) !== Boolean(end);
  return isPriceOpen || areDaysOpen || areTimesOpen ? 'open' : 'fits';
}

/** @param body as it arrives: undefined when none was sent */
export function judgeBody({ method, path, body: schema }: Operation, body: unknown): Verdict {
  if (!schema) {
    const isEmpty =
      body === undefined ||
      body === null ||
      (typeof body === 'object' && !Array.isArray(body) && Object.keys(body).length === 0);
    return isEmpty ? 'fits' : 'shape';
  }
  if (!fits(schema, structuredClone(body)) || !isStorable(body)) return 'shape';
  const { phone, avatar } = body as Record<string, string | null | undefined>;
  if (phone != null && !/^\+1415555\d{4}$/.test(phone)) return 'open';
  // No address that is made up is that of an upload.
  if (path === '/v1/me' && avatar) return 'sense';
  if (path.startsWith('/v1/events')) return judgeEvent(method === 'POST', body as EventBody);
  return 'fits';
}

/** As JSON writes numbers. */
const numeral = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

function isParameter({ schema }: Parameter, text: string): boolean {
  if (!isWellFormed(text)) return false;
  if (schema.type === 'boolean') return text === 'true' || text === 'false';
  if (schema.type !== 'number' && schema.type !== 'integer') return fits(schema, text);
  return numeral.test(text) && Number.isFinite(Number(text)) && fits(schema, Number(text));
}

/** Images, calendars and what is not of the API ignore parameters that they do not know. */
const refusesUnknown = (path: string): boolean => path.startsWith('/v1/') && !/\.(svg|webp|ics)$/.test(path);

export function judgeQuery({ path, query }: Operation, sent: [string, string][]): Verdict {
  const values = new Map(sent);
  // The same twice is a list, and no parameter takes one.
  if (values.size < sent.length || !isStorable(sent)) return 'shape';
  const isKnown = (name: string) => query.some((parameter) => parameter.name === name);
  if (refusesUnknown(path) && sent.some(([name]) => !isKnown(name))) return 'shape';
  for (const parameter of query) {
    const text = values.get(parameter.name);
    if (text === undefined ? parameter.required : !isParameter(parameter, text)) return 'shape';
  }
  // What a list gave is opaque.
  if (values.has('cursor')) return 'open';
  if (path === '/v1/events' || path === '/v1/events.ics') return judgeCircle(values);
  if (path === '/v1/events/search') return values.get('q')?.trim() ? 'fits' : 'sense';
  if (path === '/v1/users/search') {
    const q = values.get('q') ?? '';
    if ([...q.normalize().trim()].length < 2) return 'sense';
    // Of what is neither letters nor digits, less may be left to look for.
    return /^[\p{L}\p{N} ]{2,}$/u.test(q) ? 'fits' : 'open';
  }
  return 'fits';
}

function judgeCircle(values: Map<string, string>): Verdict {
  if (values.has('lat') !== values.has('lng')) return 'sense';
  if (values.has('radius') && !values.has('lat')) return 'sense';
  const [from, to] = [values.get('dateFrom'), values.get('dateTo')].map((text) => text && withPlus(text));
  if (!from || !to) return 'fits';
  const first = parseDay(from) ?? parseTimestamp(from);
  const day = parseDay(to);
  const last = day ? new Date(day.getTime() + 86_399_999) : parseTimestamp(to);
  return first && last && last >= first ? 'fits' : 'sense';
}

export const worse = (a: Verdict, b: Verdict): Verdict =>
  (['shape', 'sense', 'open'] as const).find((verdict) => a === verdict || b === verdict) ?? 'fits';
