/** Creates and changes bookings on one server, and reads them on a second server. */

import { createEvent, type Person } from './factories.ts';
import { expectStatus, type TestApp } from './setup.ts';

export const bookingPath = (event: string): string => `/v1/events/${event}/booking`;
/** The fields that a problem response names. */
export const errorPaths = (body: { errors: { path: string }[] }): string[] =>
  body.errors.map(({ path }) => path);

export function createBookingClient(api: TestApp, second: TestApp, organizer: Person) {
  const book = (id: string, person: Person | undefined, seats: unknown = 1, more: object = {}) =>
    api.post(bookingPath(id), person?.token, { seats, ...more });
  return {
    book,
    wait: (id: string, person: Person, seats = 1) => book(id, person, seats, { waitlist: true }),
    resize: (id: string, person: Person, seats: unknown) =>
      api.patch(bookingPath(id), person.token, { seats }),
    cancel: (id: string, person: Person) => api.delete(bookingPath(id), person.token),
    change: (id: string, fields: object) => api.patch(`/v1/events/${id}`, organizer.token, fields),
    createEventWithCapacity: (capacity: number, more: object = {}) =>
      createEvent(api, organizer, { capacity, ...more }),
    record: async (id: string, person?: Person) =>
      expectStatus(await second.get(`/v1/events/${id}`, person?.token), 200).body,
    /**
     * For each person: `2+` for 2 booked seats, `2@1` for 2 seats at position 1 of the waitlist, `-` for no
     * booking.
     */
    bookingStates: (id: string, people: Person[]): Promise<string[]> =>
      Promise.all(
        people.map(async ({ token }) => {
          const { status, body } = await second.get(bookingPath(id), token);
          return status === 404
            ? '-'
            : `${body.seats}${body.status === 'booked' ? '+' : `@${body.position}`}`;
        }),
      ),
  };
}
