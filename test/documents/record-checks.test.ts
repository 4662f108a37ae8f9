/** The checks that the fuzz program makes of the tables of the specification notice wrong records. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { type Checks, checksOf, wrongFields } from '../../torture/fuzz/record-checks.ts';
import { createEvent, createItem, createUser } from '../support/factories.ts';
import { startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const organizer = await createUser(api);
const { id } = await createEvent(api, organizer);
await createItem(api, organizer, id);

function expectWrong(checks: Checks, record: object, changes: Record<string, unknown[]>): void {
  const wrongIn = (value: object) =>
    wrongFields(checks, value as Record<string, unknown>, { hasToken: true });
  assert.deepEqual(wrongIn(record), []);
  for (const [name, values] of Object.entries(changes))
    for (const value of values)
      assert.deepEqual(wrongIn({ ...record, [name]: value }), [name], `${name}: ${JSON.stringify(value)}`);
}

test('record checks: each wrong type, missing field and unknown alternative of an event is noticed', async () => {
  const { body } = await api.get(`/v1/events/${id}`, organizer.token);
  expectWrong({ ...checksOf('2.4'), ...checksOf('2.5') }, body, {
    id: ['', null],
    title: [undefined, 1],
    coverUrl: [null, 'cover.png'],
    startAt: ['2040-01-05T18:00:00+01:00', null],
    location: [null, { ...body.location, lat: '59' }, { ...body.location, isExact: undefined }],
    category: [{ slug: 'food' }],
    rsvpCount: [-1, 0.5],
    price: ['0', null],
    myRsvp: ['maybe', undefined],
    isSaved: [undefined, null],
    visibility: ['hidden'],
    myBooking: [undefined, { id: 'x' }],
    enabledModules: ['bringList', [1]],
    hidden: [1],
  });
});

test('record checks: each wrong field of an item is noticed; a description and a note may be absent', async () => {
  const { body } = await api.get(`/v1/events/${id}/items`, organizer.token);
  expectWrong(checksOf('2.6'), body.data[0], {
    kind: ['gift'],
    link: ['example.org', undefined],
    description: [null],
    myClaim: [undefined, { id: 'x' }, { id: 'x', quantity: 1, note: null }],
  });
  assert.throws(() => checksOf('4.2'), /no table/);
});
