/** Prices: as large and with as many decimals as their currency needs. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createEvent, createUser, eventBody, inDays } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const organizer = await createUser(api);
const create = (fields: Record<string, unknown>) =>
  api.post('/v1/events', organizer.token, eventBody(fields));
const change = (id: string, fields: object) => api.patch(`/v1/events/${id}`, organizer.token, fields);

// spec: 2.4 GET /v1/events: `price`
test('price: 201 for an amount as large and with as many decimals as the currency needs', async () => {
  for (const [currency, ...prices] of [
    ['VND', 1_500_000, 1_000_000_000],
    ['IDR', 750_000],
    ['IRR', 999_999_999],
    ['KRW', 45_000],
    ['JPY', 3_500],
    ['EUR', 19.99, 12.5],
    ['KWD', 12.345, 0.001],
  ] as const)
    for (const price of prices) {
      const { body } = expectStatus(await create({ currency, price }), 201);
      assert.deepEqual([body.price, body.currency], [price, currency]);
      assert.equal((await api.get(`/v1/events/${body.id}`)).body.price, price);
    }
});

// spec: 2.4 GET /v1/events: `price`
test('price: 400 naming price with more decimals than the currency has', async () => {
  for (const [currency, price, decimals] of [
    ['JPY', 3_500.5, 0],
    ['KRW', 0.01, 0],
    ['VND', 1_500_000.25, 0],
    ['EUR', 19.999, 2],
    ['KWD', 1.2345, 3],
  ] as const) {
    const { body } = expectProblem(await create({ currency, price }), 400, 'invalid_request');
    const [{ path, rule, limit }] = body.errors;
    assert.deepEqual([path, rule, limit], ['price', 'decimals', decimals], currency);
  }
});

test('price: 400 naming price for another currency that has fewer decimals; other changes and copies keep a stored price', async () => {
  const { id } = await createEvent(api, organizer, { price: 12.5, currency: 'EUR' });
  const { body } = expectProblem(await change(id, { currency: 'JPY' }), 400, 'invalid_request');
  assert.equal(body.errors[0].path, 'price');
  expectStatus(await change(id, { currency: 'JPY', price: 2_000 }), 200);
  // As an earlier version stored it.
  await api.sql`update events set price = 12.5, version = version + 1 where id = ${id}`;
  const other = await api.startAnother();
  const changed = await other.call('PATCH', `/v1/events/${id}`, {
    token: organizer.token,
    body: { title: 'Moved', price: 12.5 },
  });
  assert.equal(expectStatus(changed, 200).body.price, 12.5);
  const copy = await other.post(`/v1/events/${id}/duplicate`, organizer.token, { startAt: inDays(9) });
  assert.equal(expectStatus(copy, 201).body.price, 12.5);
  expectProblem(await change(id, { price: 13.5 }), 400, 'invalid_request');
});
