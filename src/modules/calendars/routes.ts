import { Type } from 'typebox';
import type { Transaction } from '../../db/transaction.ts';
import type { App } from '../../http/app.ts';
import { requireCaller } from '../../http/authenticate.ts';
import { largeText } from '../../http/compression.ts';
import { route } from '../../http/route.ts';
import { Success } from '../../http/schemas.ts';
import { readIdempotencyKey, runIdempotent, sendReplayable } from '../../idempotency/idempotency.ts';
import { actAs } from '../../identity/act-as.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { dayMs } from '../../lib/time.ts';
import type { Deps } from '../../server/build-app.ts';
import { readEventQuery } from '../discovery/event-query.ts';
import type { CachedEvent } from '../events/event-cache.ts';
import { isVisible } from '../events/policy.ts';
import { EventParams } from '../events/schemas.ts';
import type { People } from '../users/people.ts';
import { sendCalendar, writeAll } from './answer.ts';
import { cachingWriter, type Entry, fileName, openWriter, toCalendar, type Writer } from './present.ts';
import { deleteCalendar, findCalendar, findOwner, listOwnEvents, setCalendar } from './repo.ts';
import { Calendar, CalendarAddress, CalendarParams, CalendarQuery, CalendarState } from './schemas.ts';
import { newSecret, parseSecret } from './secrets.ts';

/** A calendar of several has so many events, and so many characters of each description. */
const maxEvents = 500;
const maxText = 2_000;
/** What is over stays in a person's own calendar for so long. */
const pastMs = 90 * dayMs;

export function calendarRoutes(app: App, deps: Deps): void {
  // Those of several share what is written of an event.
  const write = cachingWriter(openWriter(deps.config.publicUrl, maxText));
  eventCalendars(app, deps, write);
  ownAddress(app, deps);
  ownCalendar(app, deps, write);
}

const toEntry = async ({ row }: CachedEvent, people: People): Promise<Entry> => {
  const person = await people.find(row.organizerId);
  return { event: row, organizer: person?.name ?? null };
};

function eventCalendars(app: App, { config, clock, lists, events, people }: Deps, write: Writer): void {
  const writeWhole = openWriter(config.publicUrl);

  app.get(
    '/v1/events/:id/calendar.ics',
    route({
      name: 'getEventCalendar',
      access: 'optional',
      tag: 'Calendars',
      summary: 'One event for a calendar program',
      description:
        "In the event's own time zone. The UID stays, and SEQUENCE goes up with every change of what a calendar shows; " +
        'a cancelled event says `STATUS:CANCELLED`.',
      params: EventParams,
      response: { 200: Calendar, 304: Type.Null() },
      conditional: true,
      compressFrom: largeText,
      problems: ['event_not_found'],
    }),
    async (request, reply) => {
      const id = readId(request.params.id, 'event_not_found');
      const event = await events.find(id, request.caller);
      if (!event || !isVisible(event.row, request.caller)) throw new Problem('event_not_found');
      const text = toCalendar([writeWhole(await toEntry(event, people))]);
      const name = fileName(event.row.title);
      return sendCalendar(request, reply, { text, fileName: name, disposition: 'attachment' });
    },
  );

  app.get(
    '/v1/events.ics',
    route({
      name: 'listEventsCalendar',
      access: 'optional',
      tag: 'Calendars',
      summary: 'Public events as a calendar',
      description:
        `What GET /v1/events lists, by the same filters and without pages: the first ${maxEvents} by start, ` +
        `descriptions cut to ${maxText} characters. An address to subscribe to.`,
      querystring: CalendarQuery,
      response: { 200: Calendar, 304: Type.Null() },
      conditional: true,
      compressFrom: largeText,
    }),
    async (request, reply) => {
      const eventQuery = readEventQuery(request.query, clock());
      const slice = { page: 1, limit: maxEvents };
      const { listed } = await lists(eventQuery, 'start', slice, request.caller);
      const entries = await Promise.all(listed.map(({ event }) => toEntry(event, people)));
      const text = toCalendar(await writeAll(entries, write), 'Potluck events');
      return sendCalendar(request, reply, { text, fileName: 'events.ics', disposition: 'inline' });
    },
  );
}

function ownAddress(app: App, { db, config, clock }: Deps): void {
  const { publicUrl } = config;

  app.post(
    '/v1/me/calendar',
    route({
      name: 'createMyCalendar',
      access: 'required',
      tag: 'Calendars',
      summary: 'Make a secret address for your calendar',
      description:
        'A calendar program that has it shows the events that you organize, answered, saved or booked. ' +
        'A new address ends the one before.',
      response: { 201: CalendarAddress },
      idempotent: true,
    }),
    async (request, reply) => {
      const viewer = requireCaller(request);
      const create = async (tx: Transaction): Promise<{ url: string }> => {
        const secret = newSecret(viewer.id);
        await setCalendar(tx, viewer.id, secret.hash, clock());
        return { url: `${publicUrl}/v1/calendars/${secret.text}.ics` };
      };
      const once = readIdempotencyKey(request, viewer, config.secretKey);
      if (!once) return reply.code(201).send(await actAs(db, viewer, create));
      const made = await runIdempotent(db, clock(), once, viewer, async (tx) => ({
        status: 201,
        body: JSON.stringify(await create(tx)),
      }));
      return sendReplayable(reply, made);
    },
  );

  app.get(
    '/v1/me/calendar',
    route({
      name: 'getMyCalendar',
      access: 'required',
      tag: 'Calendars',
      summary: 'Whether your calendar has an address',
      description:
        'Only when the address was made: the server stores a hash, so the address itself cannot be read ' +
        'again.',
      response: { 200: CalendarState },
    }),
    async (request) => {
      const createdAt = await findCalendar(db, requireCaller(request).id);
      return { exists: createdAt !== null, createdAt: createdAt?.toISOString() ?? null };
    },
  );

  app.delete(
    '/v1/me/calendar',
    route({
      name: 'deleteMyCalendar',
      access: 'required',
      tag: 'Calendars',
      summary: 'End the address of your calendar',
      description: 'It is dead from the answer on, on every server. Twice is once.',
      response: { 200: Success },
    }),
    async (request) => {
      const viewer = requireCaller(request);
      await actAs(db, viewer, (tx) => deleteCalendar(tx, viewer.id));
      return { success: true as const };
    },
  );
}

function ownCalendar(app: App, { db, clock, events, people }: Deps, write: Writer): void {
  app.get(
    '/v1/calendars/:secret.ics',
    route({
      name: 'getCalendar',
      access: 'public',
      tag: 'Calendars',
      summary: "A person's own calendar, by its secret address",
      description:
        'What they organize, answered, saved or booked, as far as they may see it, from 90 days ago on: the ' +
        `first ${maxEvents} by start, descriptions cut to ${maxText} characters. Cancelled events stay, with ` +
        '`STATUS:CANCELLED`.',
      params: CalendarParams,
      response: { 200: Calendar, 304: Type.Null() },
      conditional: true,
      problems: ['calendar_not_found'],
    }),
    async (request, reply) => {
      const secret = parseSecret(request.params.secret);
      const owner = secret && (await findOwner(db, secret));
      if (!owner) throw new Problem('calendar_not_found');
      const since = new Date(clock().getTime() - pastMs);
      const ids = await listOwnEvents(db, owner, { since, most: maxEvents });
      const found = await Promise.all(ids.map((id) => events.find(id, null)));
      // Seen once more, as it is by now.
      const seen = found.filter((event) => event !== null && isVisible(event.row, owner)) as CachedEvent[];
      const entries = await Promise.all(seen.map((event) => toEntry(event, people)));
      const text = toCalendar(await writeAll(entries, write), 'Potluck');
      const answer = { text, fileName: 'potluck.ics', disposition: 'inline', isSecret: true } as const;
      return sendCalendar(request, reply, answer);
    },
  );
}
