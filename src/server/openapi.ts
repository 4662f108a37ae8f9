/** The OpenAPI 3.1 document, made from the very schemas that validate. */
import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify';
import { type TSchema, Type } from 'typebox';
import manifest from '../../package.json' with { type: 'json' };
import { sendJson } from '../http/route.ts';
import { IdempotencyHeaders, PageMeta, shared } from '../http/schemas.ts';
import type { Config } from '../lib/config.ts';
import { catalogue, type ProblemCode } from '../lib/errors.ts';
import { exportComponents } from '../modules/account/export-schema.ts';
import { OwnClaim } from '../modules/account/schemas.ts';
import { AdminUser, AuditEntry, Flag } from '../modules/admin/schemas.ts';
import { Booking, ListedBooking } from '../modules/attendance/booking-schemas.ts';
import { CodeSent, Session, SignedIn, TokenPair } from '../modules/auth/schemas.ts';
import { Category, Event, EventPage, ListedEvent, Template } from '../modules/events/schemas.ts';
import { FeedEvent, Reason } from '../modules/feed/schemas.ts';
import { AddedItem, Claim, GivenClaim, Item } from '../modules/items/schemas.ts';
import {
  LiveCounts,
  LiveData,
  LiveEvent,
  LiveGone,
  LiveItemRemoved,
  LiveMessage,
  LiveSnapshot,
} from '../modules/live/schemas.ts';
import { Conversation, Message } from '../modules/messages/schemas.ts';
import { AdminReport, Involved, Report } from '../modules/reports/schemas.ts';
import { Upload } from '../modules/uploads/schemas.ts';
import { Me } from '../modules/users/own-profile-schemas.ts';
import { FoundUser, Person, Profile } from '../modules/users/schemas.ts';
import { accountHooks } from './account-hooks.ts';
import { registerReference } from './reference.ts';

const Problem = shared(
  'Problem',
  Type.Object(
    {
      type: Type.String({
        description: 'Where the code is explained.',
        examples: ['/docs/errors#event_not_found'],
      }),
      title: Type.String(),
      status: Type.Integer(),
      detail: Type.String({ description: 'What happened, for a person to read.' }),
      code: Type.String({ description: 'Stable, for a program to read.', examples: ['event_not_found'] }),
      requestId: Type.String({
        description: 'Equals the header `X-Request-Id`. Name it when you ask the operator.',
      }),
      errors: Type.Optional(
        Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
          description: 'The fields at fault.',
        }),
      ),
    },
    { description: 'Every answer that is not a success has this shape (RFC 9457).' },
  ),
);

/** Everything that answers refer to by name. */
const components: TSchema[] = [
  AddedItem,
  AdminReport,
  AdminUser,
  AuditEntry,
  Booking,
  Category,
  Claim,
  CodeSent,
  Conversation,
  Event,
  EventPage,
  ...exportComponents(accountHooks.exportSections),
  FeedEvent,
  Flag,
  FoundUser,
  GivenClaim,
  Involved,
  Item,
  ListedBooking,
  ListedEvent,
  LiveCounts,
  LiveData,
  LiveEvent,
  LiveGone,
  LiveItemRemoved,
  LiveMessage,
  LiveSnapshot,
  Me,
  Message,
  OwnClaim,
  PageMeta,
  Person,
  Problem,
  Profile,
  Reason,
  Report,
  Session,
  SignedIn,
  Template,
  TokenPair,
  Upload,
];

/** Each format of ours, for clients that want to check before they send. */
const formatsText =
  'Formats beyond those of OpenAPI: `visible-line` and `visible-text` have at least one visible character, which is ' +
  'neither a separator (Z) nor other (C) in Unicode, and `visible-line` has no control characters; `grapheme` is what ' +
  'a reader sees as one character; `timestamp` is RFC 3339 with any offset, `timestamp-or-day` that or a date; ' +
  '`http-url` is an http or https address; `time-zone` is the name of an IANA time zone; `currency` is an ISO 4217 code.';

export async function registerOpenApi(app: FastifyInstance, config: Config): Promise<void> {
  for (const schema of components) app.addSchema(schema);
  await app.register(swagger, {
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Potluck',
        version: manifest.version,
        description:
          'Discover events, answer them, and share bring-lists that cannot be double-booked.\n\n' +
          'Sign in with a phone number: `POST /v1/auth/otp/request`, then `POST /v1/auth/otp/verify`. ' +
          'An unknown query parameter or body field is a 400 that names it. ' +
          'Every refusal is an `application/problem+json` whose `code` is explained on [/docs/errors](/docs/errors).\n\n' +
          formatsText,
        contact: { name: 'The operator of this server', url: config.publicUrl },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: config.publicUrl }],
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description: 'The `accessToken` of POST /v1/auth/otp/verify.',
          },
        },
      },
      tags: [
        { name: 'Sign in', description: 'Codes, tokens and devices.' },
        { name: 'Me', description: "The caller's own account." },
        { name: 'People', description: 'Search, profiles, follows and blocks.' },
        { name: 'Messages', description: 'Between two people.' },
        { name: 'Events', description: 'Discover, organize, answer and save.' },
        { name: 'Bookings', description: 'Seats, and the waitlist for them.' },
        { name: 'Items', description: 'Bring-lists, wish-lists and who brings what.' },
        { name: 'Reports', description: 'What people tell the admins of.' },
        { name: 'Administration', description: 'Accounts, flags and the audit trail, for admins.' },
        { name: 'Calendars', description: 'Events for calendar programs.' },
        { name: 'Images', description: 'For covers, items and avatars.' },
        { name: 'Server', description: 'For those who run it.' },
      ],
    },
    hideUntagged: true,
    refResolver: {
      buildLocalReference: (json, _base, _fragment, i) => (json.$id as string | undefined) ?? `def-${i}`,
    },
    transform: ({ schema, url, route }) => ({ schema: documented(schema as Documented, route), url }),
  });

  let json: string | undefined;
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    // All routes exist by the first request, so the document no longer changes.
    json ??= JSON.stringify(app.swagger());
    return sendJson(reply, json);
  });
  await registerReference(app);
}

type QuerySchema = { required?: string[]; properties: Record<string, { default?: unknown }> };
type Documented = FastifySchema & { response?: Record<string, TSchema>; querystring?: QuerySchema };

/** What a body can be refused for before a route sees it, also where none is expected. */
const bodyProblems: ProblemCode[] = [
  'malformed_json',
  'unsupported_media_type',
  'unsupported_content_encoding',
  'payload_too_large',
];

/** Adds what `route()` declares beside the schemas: the refusals by status, and who may call. */
function documented(schema: Documented | undefined, route: RouteOptions): Documented {
  const { access, problems = [], idempotent, conditional, bodyTypes } = route.config ?? {};
  if (!schema || !access) return schema ?? {};
  const codes = route.method === 'GET' ? problems : [...problems, ...bodyProblems];
  const byStatus = Map.groupBy(codes, (code) => catalogue[code].status);
  const refusals = [...byStatus].map(([status, codes]) => [status, refusal(status, codes)]);
  const security = { public: [], optional: [{}, { bearer: [] }], required: [{ bearer: [] }] }[access];
  const successes = Object.entries(schema.response ?? {}).map(([status, body]) => [
    status,
    {
      ...success(status, route.url, body),
      ...(idempotent && { headers: replayed }),
      ...(conditional && { headers: tagged }),
    },
  ]);
  return {
    ...schema,
    ...(schema.querystring && { querystring: withoutDefaulted(schema.querystring) }),
    ...(idempotent && { headers: titledHeaders }),
    ...(conditional && { headers: conditionalHeaders }),
    ...(bodyTypes && { consumes: [...bodyTypes], body: rawBody }),
    security,
    response: Object.fromEntries([...successes, ...refusals]),
  };
}

/** Within, a parameter with a default is always there; for a client it is one that may be left out. */
function withoutDefaulted(querystring: QuerySchema): QuerySchema {
  const { required = [], properties } = querystring;
  return { ...querystring, required: required.filter((name) => properties[name]?.default === undefined) };
}

const rawBody = Type.String({ format: 'binary' });

/** Within, headers have small letters. */
const titledHeaders = Type.Object({ 'Idempotency-Key': IdempotencyHeaders.properties['idempotency-key'] });
/** Of conditional requests. Declared for the document alone: any value is valid. */
const conditionalHeaders = Type.Object({
  'If-None-Match': Type.Optional(
    Type.String({
      description:
        'ETags that the client has, or `*`. If one is current, the response is a 304 without a body.',
      examples: ['W/"JbN1s4mUPPqG5bY6tPRvVfsDbE9nUjGmA7w3kLqF"'],
    }),
  ),
});
const tagged = {
  ETag: { type: 'string', description: 'The version of this response, for `If-None-Match`.' },
};
const replayed = {
  'Idempotent-Replayed': {
    type: 'string',
    description: '`true` on the first answer to this `Idempotency-Key`, given once more.',
  },
};

const streamDescription =
  'Server-sent events. Each has an `event`, JSON on one line in `data`, and an `id` if it is the last of those that ' +
  'belong together. Lines that begin with a colon only keep the connection open.';

function success(status: string, url: string, body: TSchema) {
  if (url.endsWith('.svg'))
    return { description: 'The picture.', content: { 'image/svg+xml': { schema: body } } };
  if (url.endsWith('/live'))
    return { description: streamDescription, content: { 'text/event-stream': { schema: body } } };
  if (status === '304') return { description: 'What the client has is still good.' };
  if (url.endsWith('.ics'))
    return { description: 'The calendar.', content: { 'text/calendar': { schema: body } } };
  if (url.endsWith('.webp'))
    return { description: 'The image.', content: { 'image/webp': { schema: body } } };
  if (url === '/metrics')
    return { description: 'Prometheus text.', content: { 'text/plain': { schema: body } } };
  return { description: 'Success.', content: { 'application/json': { schema: body } } };
}

function refusal(status: number, codes: ProblemCode[]) {
  const wait = { 'Retry-After': { type: 'integer', description: 'Seconds to wait.' } };
  const ask = { 'WWW-Authenticate': { type: 'string', description: '`Bearer`.' } };
  const codings = {
    'Accept-Encoding': {
      type: 'string',
      description:
        '`identity`, with `unsupported_content_encoding`: the content codings of bodies that are taken.',
    },
  };
  return {
    description: codes.map((code) => `\`${code}\`: ${catalogue[code].title}.`).join('\n\n'),
    ...(status === 429 || status === 503
      ? { headers: wait }
      : status === 401
        ? { headers: ask }
        : status === 415
          ? { headers: codings }
          : {}),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [
            { $ref: 'Problem#' },
            { type: 'object', properties: { code: { type: 'string', enum: codes } } },
          ],
        },
      },
    },
  };
}
