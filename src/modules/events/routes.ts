import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { Transaction } from '../../db/transaction.ts';
import type { App } from '../../http/app.ts';
import { requireCaller } from '../../http/authenticate.ts';
import { largeText } from '../../http/compression.ts';
import { addVary, isNotModified, sendNotModified } from '../../http/conditional.ts';
import { coverSvg, sendSvg } from '../../http/placeholder-images.ts';
import { route, sendJson } from '../../http/route.ts';
import { ref, Success } from '../../http/schemas.ts';
import { readIdempotencyKey, runIdempotent, sendReplayable } from '../../idempotency/idempotency.ts';
import { actAs } from '../../identity/act-as.ts';
import type { Viewer } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import type { Deps } from '../../server/build-app.ts';
import { categories, findCategory, templates } from './catalogue.ts';
import { toCachedEvent } from './event-cache.ts';
import { changed, requireCapacity, withDefaults } from './event-fields.ts';
import { eventJson, eventRecord } from './event-serializer.ts';
import { isVisible, requireOrganizer } from './policy.ts';
import type { EventRow } from './present.ts';
import * as queries from './repo.ts';
import { Category, Event, EventChange, EventParams, NewEvent, Template } from './schemas.ts';

/** The event itself: its record, and what its organizer does with it. Lists: list-routes.ts; answers: answer-routes.ts. */
export function eventRoutes(app: App, { db, config, clock, events, people, viewerStates }: Deps): void {
  /** What a write made of it. */
  const show = async (reply: FastifyReply, row: EventRow, viewer: Viewer) => {
    const [organizer, mine] = await Promise.all([
      people.find(row.organizerId),
      viewerStates.find({ eventId: row.id, userId: viewer.id }),
    ]);
    return sendJson(reply, eventJson(toCachedEvent(row), organizer, mine, config.publicUrl));
  };

  app.get(
    '/v1/categories',
    route({
      name: 'listCategories',
      access: 'public',
      tag: 'Events',
      summary: 'What events can be filed under',
      description: 'A fixed list. The `slug` is what events and filters take as `category`.',
      response: { 200: Type.Object({ data: Type.Array(ref(Category)) }) },
    }),
    async () => ({ data: [...categories] }),
  );

  app.get(
    '/v1/templates',
    route({
      name: 'listTemplates',
      access: 'public',
      tag: 'Events',
      summary: 'The kinds of gathering',
      description: 'A fixed list. The `slug` is what new events take as `template`.',
      response: { 200: Type.Object({ data: Type.Array(ref(Template)) }) },
    }),
    async () => ({ data: [...templates] }),
  );

  // Spec 4.11
  app.get(
    '/v1/events/:id',
    route({
      name: 'getEvent',
      access: 'optional',
      tag: 'Events',
      summary: 'The full record of one event',
      description:
        "With a token it has the caller's RSVP, saved flag, booking and place in the waitlist. A private " +
        'event is a 404 for everyone but its organizer and admins.',
      params: EventParams,
      response: { 200: ref(Event), 304: Type.Null() },
      problems: ['event_not_found'],
      conditional: true,
      compressFrom: largeText,
    }),
    async (request, reply) => {
      const id = readId(request.params.id, 'event_not_found');
      const { caller: viewer } = request;
      const [event, mine] = await Promise.all([
        events.find(id, viewer),
        viewer && viewerStates.find({ eventId: id, userId: viewer.id }),
      ]);
      if (!event || !isVisible(event.row, viewer)) throw new Problem('event_not_found');
      const organizer = await people.find(event.row.organizerId);
      const { json, etag } = eventRecord(event, organizer, mine, config.publicUrl);
      addVary(reply, 'Authorization, Accept-Encoding');
      reply.header('etag', etag).header('cache-control', 'private, no-cache');
      return isNotModified(request, etag) ? sendNotModified(reply) : sendJson(reply, json);
    },
  );

  app.get(
    '/v1/events/:id/cover.svg',
    route({
      name: 'getCover',
      access: 'public',
      tag: 'Events',
      summary: 'The generated cover',
      description:
        'Drawn from the id and the category in the address alone, so it tells nothing of a private event.',
      params: EventParams,
      querystring: Type.Object({ category: Type.Optional(Type.String({ maxLength: 100 })) }),
      response: { 200: Type.String({ description: 'An SVG image.' }) },
      problems: ['event_not_found'],
    }),
    async (request, reply) => {
      const id = readId(request.params.id, 'event_not_found');
      return sendSvg(reply, coverSvg(id, findCategory(request.query.category ?? 'other').emoji));
    },
  );

  app.post(
    '/v1/events',
    route({
      name: 'createEvent',
      access: 'required',
      tag: 'Events',
      summary: 'Create an event',
      description: 'The caller becomes its organizer.',
      body: NewEvent,
      response: { 201: ref(Event) },
      idempotent: true,
    }),
    async (request, reply) => {
      const viewer = requireCaller(request);
      const fields = withDefaults(request.body);
      const create = async (tx: Transaction): Promise<EventRow> => {
        const row = await queries.findEvent(tx, await queries.insertEvent(tx, viewer.id, fields, clock()));
        if (!row) throw new Problem('event_not_found');
        return row;
      };
      const once = readIdempotencyKey(request, viewer, config.secretKey);
      if (once) {
        const organizer = await people.find(viewer.id);
        const made = await runIdempotent(db, clock(), once, viewer, async (tx) => {
          const row = await create(tx);
          const json = eventJson(
            toCachedEvent(row),
            organizer,
            queries.noViewerStateWithBooking,
            config.publicUrl,
          );
          return { status: 201, location: `/v1/events/${row.id}`, body: json };
        });
        return sendReplayable(reply, made);
      }
      const row = await actAs(db, viewer, create);
      return show(reply.code(201).header('location', `/v1/events/${row.id}`), row, viewer);
    },
  );

  app.patch(
    '/v1/events/:id',
    route({
      name: 'updateEvent',
      access: 'required',
      tag: 'Events',
      summary: 'Change or cancel an event',
      description:
        'For its organizer and admins. Fields that are left out stay; `status: cancelled` cancels. More ' +
        '`capacity` moves the waitlist up.',
      params: EventParams,
      body: EventChange,
      response: { 200: ref(Event) },
      problems: ['event_not_found', 'not_organizer', 'capacity_below_booked'],
    }),
    async (request, reply) => {
      const viewer = requireCaller(request);
      const id = readId(request.params.id, 'event_not_found');
      const row = await actAs(db, viewer, async (tx) => {
        const before = await findOwned(tx, id, viewer);
        const fields = changed(before, request.body);
        requireCapacity(before, fields);
        await queries.updateEvent(tx, before, fields, clock());
        return queries.findEvent(tx, id);
      });
      if (!row) throw new Problem('event_not_found');
      return show(reply, row, viewer);
    },
  );

  app.delete(
    '/v1/events/:id',
    route({
      name: 'deleteEvent',
      access: 'required',
      tag: 'Events',
      summary: 'Delete an event and all that hangs on it',
      description: 'For its organizer and admins. Takes items, claims, bookings, RSVPs and saves along.',
      params: EventParams,
      response: { 200: Success },
      problems: ['event_not_found', 'not_organizer'],
    }),
    async (request) => {
      const viewer = requireCaller(request);
      const id = readId(request.params.id, 'event_not_found');
      await actAs(db, viewer, async (tx) => {
        await queries.deleteEvent(tx, await findOwned(tx, id, viewer));
      });
      return { success: true as const };
    },
  );
}

/** The locked event; @throws Problem `event_not_found`, `not_organizer` */
async function findOwned(tx: Transaction, id: string, viewer: Viewer): Promise<EventRow> {
  const row = await queries.findEventForUpdate(tx, id, viewer);
  if (!row) throw new Problem('event_not_found');
  requireOrganizer(row, viewer);
  return row;
}
