/** The waitlist advances while new bookings are disabled. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createBookingClient } from '../support/booking-client.ts';
import { createAdmin, createUser, createUsers, type Person } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const admin = await createAdmin(api);
const organizer = await createUser(api);
const { createEventWithCapacity, book, cancel, change, bookingStates, resize, wait } = createBookingClient(
  api,
  api,
  organizer,
);

const flag = async (enabled: boolean) => {
  const call = { token: admin.token, body: { enabled } };
  expectStatus(await api.call('PUT', '/v1/admin/flags/bookings', call), 200);
};

const switches: Record<
  string,
  { disable(event: string): Promise<unknown>; enable(event: string): Promise<unknown>; code: string }
> = {
  'the flag `bookings`': { disable: () => flag(false), enable: () => flag(true), code: 'feature_disabled' },
  'the module `booking`': {
    disable: async (event) => expectStatus(await change(event, { enabledModules: ['bringList'] }), 200),
    enable: async (event) => expectStatus(await change(event, { enabledModules: ['booking'] }), 200),
    code: 'module_disabled',
  },
};

for (const [name, { disable, enable, code }] of Object.entries(switches)) {
  // spec: 2.5 GET /v1/events/:id/booking, PATCH /v1/events/:id/booking, DELETE /v1/events/:id/booking: reading, changing and cancelling a booking
  test(`waitlist: with ${name} disabled, freed seats and a larger capacity go to the waitlist; 403 for new bookings`, async () => {
    const [first, second, third, fourth, late] = (await createUsers(api, 5)) as [
      Person,
      Person,
      Person,
      Person,
      Person,
    ];
    const { id } = await createEventWithCapacity(3);
    expectStatus(await book(id, first, 2), 201);
    expectStatus(await book(id, second, 1), 201);
    expectStatus(await wait(id, third, 1), 201);
    expectStatus(await wait(id, fourth, 2), 201);
    const people = [first, second, third, fourth];
    await disable(id);
    expectProblem(await wait(id, late), 403, code);
    expectProblem(await resize(id, second, 2), 403, code);
    assert.deepEqual(await bookingStates(id, people), ['2+', '1+', '1@1', '2@2']);
    expectStatus(await cancel(id, second), 200);
    assert.deepEqual(await bookingStates(id, people), ['2+', '-', '1+', '2@1']);
    expectStatus(await change(id, { capacity: 5 }), 200);
    assert.deepEqual(await bookingStates(id, people), ['2+', '-', '1+', '2+']);
    await enable(id);
    await assertCounters(api.sql);
  });
}
