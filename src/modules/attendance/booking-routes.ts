import { createWriteBatcher } from '../../db/batching.ts';
import type { App } from '../../http/app.ts';
import { requireCaller } from '../../http/authenticate.ts';
import { readCursor, toPage } from '../../http/cursors.ts';
import { route } from '../../http/route.ts';
import { ref, Success } from '../../http/schemas.ts';
import {
  isReplay,
  readIdempotencyKey,
  retryOnKeyConflict,
  sendReplayable,
} from '../../idempotency/idempotency.ts';
import type { IdempotencyKey, Replay } from '../../idempotency/stored-responses.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import type { Deps } from '../../server/build-app.ts';
import { isVisible, requireOrganizer } from '../events/policy.ts';
import { EventParams } from '../events/schemas.ts';
import { type Ask, answerOf, keyOf, writeBookings } from './apply-bookings.ts';
import { bookingOf } from './booking-policy.ts';
import * as queries from './booking-repo.ts';
import { Booking, BookingChange, BookingList, BookingListQuery, NewBooking } from './booking-schemas.ts';
import { type BookingRow, toBooking, toListedBooking } from './present-booking.ts';

type Write = (ask: Ask) => Promise<BookingRow>;
type WriteOnce = (ask: Ask & { once: IdempotencyKey }) => Promise<BookingRow | Replay>;

/** Seats at an event: one's own, and the organizer's list. */
export function bookingRoutes(app: App, deps: Deps): void {
  const { db, clock, flags } = deps;
  const circumstances = async () => ({ now: clock(), isOn: await flags.isOn('bookings') });
  // One queue for all that somebody does with their booking, so that it keeps its order. Without a key nothing is given
  // once more.
  const write = createWriteBatcher<Ask, BookingRow>(
    async (asks, mayWaitForLocks) =>
      (await writeBookings(db, asks, await circumstances(), mayWaitForLocks)) as BookingRow[],
    { keyOf },
  );
  // Beside it, so that who uses one key twice holds up nobody without one.
  const writeOnce = createWriteBatcher<Ask & { once: IdempotencyKey }, BookingRow | Replay>(
    async (asks, mayWaitForLocks) => {
      const now = await circumstances();
      return retryOnKeyConflict(() => writeBookings(db, asks, now, mayWaitForLocks));
    },
    { keyOf: ({ once }) => once.keyHash.toString('base64') },
  );
  newBookingRoute(app, deps, write, writeOnce);
  getBookingRoute(app, deps);
  ownBookingRoutes(app, write);
  bookingListRoute(app, deps);
}

function newBookingRoute(app: App, { config }: Deps, write: Write, writeOnce: WriteOnce): void {
  app.post(
    '/v1/events/:id/booking',
    route({
      name: 'bookSeats',
      access: 'required',
      verifiesCaller: true,
      tag: 'Bookings',
      summary: 'Book seats, or wait for them',
      description:
        'However many book at once, never more than `capacity` seats are given (0: no limit), and nobody is booked ' +
        'past somebody who waits. With `waitlist: true` who finds no seats waits; the waitlist moves up by itself, ' +
        'strictly in the order of joining: the first in it is booked as soon as their seats are free, and until then ' +
        'nobody overtakes them. One booking or waiting place for each person. A block between caller and organizer ' +
        'does not prevent a booking. While bookings are switched off, by the operator or in `enabledModules`, new ' +
        'bookings and new places in the waitlist are a 403, and the waitlist goes on moving up.',
      params: EventParams,
      body: NewBooking,
      response: { 201: ref(Booking) },
      idempotent: true,
      problems: [
        'event_not_found',
        'feature_disabled',
        'module_disabled',
        'event_cancelled',
        'already_booked',
        'no_seats',
      ],
    }),
    async (request, reply) => {
      const viewer = requireCaller(request);
      const eventId = readId(request.params.id, 'event_not_found');
      const { seats, waitlist = false } = request.body;
      const once = readIdempotencyKey(request, viewer, config.secretKey);
      const ask: Ask = { eventId, viewer, wish: { kind: 'book', seats, waitlist } };
      if (!once) return reply.code(201).send(toBooking(await write(ask)));
      const made = await writeOnce({ ...ask, once });
      return sendReplayable(reply, isReplay(made) ? made : answerOf(made));
    },
  );
}

function getBookingRoute(app: App, { db }: Deps): void {
  app.get(
    '/v1/events/:id/booking',
    route({
      name: 'getBooking',
      access: 'required',
      tag: 'Bookings',
      summary: "The caller's booking or place in the waitlist",
      description:
        '404 with `booking_not_found` if the caller has neither. Also while the caller may no longer see the event.',
      params: EventParams,
      response: { 200: ref(Booking) },
      problems: ['event_not_found', 'booking_not_found'],
    }),
    async (request) => {
      const viewer = requireCaller(request);
      const eventId = readId(request.params.id, 'event_not_found');
      const [access] = await queries.listBookingAccess(db, [{ eventId, userId: viewer.id }], 'counted');
      const booking = bookingOf(access ?? null, viewer);
      if (booking instanceof Problem) throw booking;
      return toBooking(booking);
    },
  );
}

function ownBookingRoutes(app: App, write: Write): void {
  app.patch(
    '/v1/events/:id/booking',
    route({
      name: 'changeBooking',
      access: 'required',
      verifiesCaller: true,
      tag: 'Bookings',
      summary: 'Change the number of seats',
      description:
        'Fewer are always possible, also while bookings are switched off or the caller may no longer see the event, and ' +
        'what is freed goes to those who wait. More only while they are free and nobody waits.',
      params: EventParams,
      body: BookingChange,
      response: { 200: ref(Booking) },
      problems: [
        'event_not_found',
        'booking_not_found',
        'feature_disabled',
        'module_disabled',
        'event_cancelled',
        'no_seats',
      ],
    }),
    async (request) => {
      const viewer = requireCaller(request);
      const eventId = readId(request.params.id, 'event_not_found');
      const { seats } = request.body;
      return toBooking(await write({ eventId, viewer, wish: { kind: 'resize', seats } }));
    },
  );

  app.delete(
    '/v1/events/:id/booking',
    route({
      name: 'cancelBooking',
      access: 'required',
      verifiesCaller: true,
      tag: 'Bookings',
      summary: 'Give the seats back, or leave the waitlist',
      description:
        'Also when the event is cancelled, when bookings are switched off, and when the caller may no longer see the ' +
        'event. What is freed goes to those who wait.',
      params: EventParams,
      response: { 200: Success },
      problems: ['event_not_found', 'booking_not_found'],
    }),
    async (request) => {
      const viewer = requireCaller(request);
      const eventId = readId(request.params.id, 'event_not_found');
      await write({ eventId, viewer, wish: { kind: 'cancel' } });
      return { success: true as const };
    },
  );
}

function bookingListRoute(app: App, { db, events, people, config }: Deps): void {
  app.get(
    '/v1/events/:id/bookings',
    route({
      name: 'listBookings',
      access: 'required',
      tag: 'Bookings',
      summary: 'Who has booked, and who waits',
      description: "For the event's organizer and admins, in the order in which people came.",
      params: EventParams,
      querystring: BookingListQuery,
      response: { 200: BookingList },
      problems: ['event_not_found', 'not_organizer'],
    }),
    async (request) => {
      const viewer = requireCaller(request);
      const id = readId(request.params.id, 'event_not_found');
      const { status, limit, cursor } = request.query;
      const [after] = readCursor(cursor, 'number') ?? [0];
      const event = await events.findCurrent(id);
      if (!event || !isVisible(event.row, viewer)) throw new Problem('event_not_found');
      requireOrganizer(event.row, viewer);
      const found = await queries.listBookings(db, id, { status, after, limit });
      const { rows, nextCursor } = toPage(found, limit, ({ n }) => [n]);
      const persons = await Promise.all(rows.map(({ userId }) => people.find(userId)));
      return {
        // Whose account was deleted just now is left out.
        data: rows.flatMap((row, i) => {
          const person = persons[i];
          return person ? [toListedBooking(row, person, config.publicUrl)] : [];
        }),
        nextCursor,
      };
    },
  );
}
