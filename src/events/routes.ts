import { Type } from 'typebox';
import type { App, Deps } from '../app.ts';
import { actAs } from '../db/transaction.ts';
import { invalid, Problem } from '../errors.ts';
import { coverSvg, sendSvg } from '../http/pictures.ts';
import { route } from '../http/route.ts';
import { ref, Success } from '../http/schemas.ts';
import { signedIn, type Viewer } from '../http/viewer.ts';
import { readId } from '../ids.ts';
import { parseTimestamp } from '../time.ts';
import { listPeople } from '../users/queries.ts';
import { categories, findCategory, templates } from './catalogue.ts';
import * as queries from './queries.ts';
import { Category, Event, EventChange, EventParams, NewEvent, Template } from './schemas.ts';
import { type EventRow, toEvent } from './views.ts';

/** The event itself: its record, and what its organizer does with it. Lists: list-routes.ts; answers: answer-routes.ts. */
export function eventRoutes(app: App, { sql, config, clock }: Deps): void {
  const show = async (row: EventRow, viewer: Viewer | null): Promise<Event> => {
    const organizers = await listPeople(sql, [row.organizerId]);
    return toEvent(row, organizers.get(row.organizerId), viewer, config.publicUrl);
  };

  app.get(
    '/v1/categories',
    route({
      name: 'listCategories',
      access: 'public',
      tag: 'Events',
      summary: 'What events can be filed under',
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
      params: EventParams,
      response: { 200: ref(Event) },
      problems: ['event_not_found'],
    }),
    async (request) => {
      const id = readId(request.params.id, 'event_not_found');
      const row = await queries.findEvent(sql, id, request.viewer);
      if (!row) throw new Problem('event_not_found');
      return show(row, request.viewer);
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
    }),
    async (request, reply) => {
      const viewer = signedIn(request);
      const fields = withDefaults(request.body);
      const row = await actAs(sql, viewer, async (tx) => {
        const id = await queries.insertEvent(tx, viewer.id, fields, clock());
        return queries.findEvent(tx, id, viewer);
      });
      if (!row) throw new Problem('event_not_found');
      return reply
        .code(201)
        .header('location', `/v1/events/${row.id}`)
        .send(await show(row, viewer));
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
        'For its organizer and admins. Fields that are left out stay; `status: cancelled` cancels.',
      params: EventParams,
      body: EventChange,
      response: { 200: ref(Event) },
      problems: ['event_not_found', 'not_organizer'],
    }),
    async (request) => {
      const viewer = signedIn(request);
      const id = readId(request.params.id, 'event_not_found');
      const row = await actAs(sql, viewer, async (tx) => {
        const before = owned(await queries.findEventForUpdate(tx, id, viewer), viewer);
        await queries.updateEvent(tx, before, changed(before, request.body), clock());
        return queries.findEvent(tx, id, viewer);
      });
      if (!row) throw new Problem('event_not_found');
      return show(row, viewer);
    },
  );

  app.delete(
    '/v1/events/:id',
    route({
      name: 'deleteEvent',
      access: 'required',
      tag: 'Events',
      summary: 'Delete an event and all that hangs on it',
      description: 'For its organizer and admins. Takes items, claims, RSVPs and saves along.',
      params: EventParams,
      response: { 200: Success },
      problems: ['event_not_found', 'not_organizer'],
    }),
    async (request) => {
      const viewer = signedIn(request);
      const id = readId(request.params.id, 'event_not_found');
      await actAs(sql, viewer, async (tx) => {
        await queries.deleteEvent(tx, owned(await queries.findEventForUpdate(tx, id, viewer), viewer));
      });
      return { success: true as const };
    },
  );
}

function owned(row: EventRow | null, viewer: Viewer): EventRow {
  if (!row) throw new Problem('event_not_found');
  if (row.organizerId !== viewer.id && viewer.role !== 'admin') throw new Problem('not_organizer');
  return row;
}

/** Past the schema, so both parse; only their order is left to check. */
function readTimes(startAt: string | Date, endAt: string | Date): { startAt: Date; endAt: Date } {
  const [start, end] = [startAt, endAt].map((at) => (at instanceof Date ? at : parseTimestamp(at)));
  if (!start) throw invalid('startAt', 'is not a timestamp');
  if (!end || end <= start) throw invalid('endAt', 'must be after startAt');
  return { startAt: start, endAt: end };
}

export function withDefaults(body: NewEvent): queries.EventFields {
  const { location, startAt, endAt, ...rest } = body;
  return {
    description: '',
    coverUrl: null,
    timezone: 'UTC',
    price: 0,
    currency: 'EUR',
    capacity: 0,
    visibility: 'public',
    template: 'general',
    enabledModules: ['bringList', 'wishList'],
    status: 'scheduled',
    ...rest,
    ...location,
    ...readTimes(startAt, endAt),
  };
}

function changed(before: EventRow, change: EventChange): queries.EventFields {
  const { location, startAt, endAt, ...rest } = change;
  return { ...before, ...rest, ...location, ...readTimes(startAt ?? before.startAt, endAt ?? before.endAt) };
}
