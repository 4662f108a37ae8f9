/** The parts of the OpenAPI document that do not depend on the endpoints. */
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import manifest from '../../../package.json' with { type: 'json' };
import type { Config } from '../../config/config.ts';
import { browserCookieName } from '../../http/browser-cookie.ts';
import { guide } from './guide.ts';

/** The project's own formats, for clients that validate requests. */
const formatsText =
  'Formats beyond those of OpenAPI: `visible-line` and `visible-text` have at least one visible character, which is ' +
  'neither a separator (Z), other (C) nor default-ignorable in Unicode, nor U+2800, and `visible-line` has no control characters or line breaks; `person-name` is a ' +
  '`visible-line` without format characters (Cf) and letters that are blank (U+034F, U+115F, U+1160, U+2800, U+3164, U+FFA0), except where emoji and the spelling of a script need joiners; ' +
  '`grapheme` is one user-perceived, visible character; `timestamp` is RFC 3339 with any offset, `timestamp-or-day` that or a date; `http-url` is ' +
  'an http or https URL whose host has at most 253 characters and 63 in a label, `https-url` one that begins with https; `time-zone` is the name of an IANA time zone; `currency` is an ISO 4217 code; `bbox` is a box ' +
  'in degrees, `west,south,east,north`; `lat-lng` is a place in degrees, `lat,lng`. The server removes the ' +
  'characters U+202A to U+202E and U+2066 to U+2069 from texts with `x-without-bidi-controls`. A POST with `x-repeatable` ' +
  'has the same effect however often it arrives, so a client may repeat it after a lost response.';

const introduction =
  'Discover events, respond to them, and share bring-lists that cannot be double-booked. Pages of this server sign in by ' +
  '`POST /v1/auth/browser-session`, which sets a cookie; other clients have tokens.';

const tags = [
  { name: 'Sign in', description: 'Codes, tokens and devices.' },
  { name: 'Me', description: "The caller's own account." },
  { name: 'People', description: 'Search, profiles, follows and blocks.' },
  { name: 'Messages', description: 'Conversations between two people.' },
  { name: 'Notifications', description: 'The inbox, and what arrives in it.' },
  { name: 'Events', description: 'Discover and organize events, RSVP to them and save them.' },
  { name: 'Places', description: 'Towns and cities of the world.' },
  { name: 'Guests', description: 'Answers of people without an account.' },
  { name: 'Invitations', description: 'Invitations of people, and answers to them.' },
  { name: 'Comments', description: 'Comments of people on events.' },
  { name: 'Series', description: 'Rules that make events: every Tuesday, or the first Sunday of a month.' },
  { name: 'Imports', description: 'Calendars from files and addresses, which become events.' },
  { name: 'Announcements', description: 'What organizers write to the guests of an event.' },
  { name: 'Bookings', description: 'Seats of events, and their waitlists.' },
  { name: 'Items', description: 'Bring-lists, wish-lists and claims.' },
  { name: 'Reports', description: 'Reports of content and people to the admins.' },
  { name: 'Administration', description: 'Accounts, flags and the audit trail, for admins.' },
  { name: 'Calendars', description: 'Events for calendar programs.' },
  { name: 'Images', description: 'Images of events, items and people.' },
  { name: 'Server', description: 'Health checks and metrics for the operator.' },
];

export const documentInfo = (config: Config): NonNullable<FastifyDynamicSwaggerOptions['openapi']> => ({
  openapi: '3.1.0',
  info: {
    title: 'Potluck',
    version: manifest.version,
    description: [introduction, guide(config.publicUrl), `# Formats\n\n${formatsText}`].join('\n\n'),
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
      browserSession: {
        type: 'apiKey',
        in: 'cookie',
        name: browserCookieName(config),
        description:
          'The cookie that POST /v1/auth/browser-session sets, for pages of this server. Scripts cannot read it. GET and ' +
          'HEAD ignore it if the request comes from another site (`Sec-Fetch-Site: cross-site` or `same-site`). All other ' +
          'methods refuse it with a 403 `cross_site_request`, unless the request has `Sec-Fetch-Site: same-origin` or, ' +
          'without that header, an `Origin` that equals the origin of this server. An `Authorization` header takes ' +
          'precedence over the cookie.',
      },
    },
  },
  tags,
});
