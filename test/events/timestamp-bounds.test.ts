/** Timestamps are valid from 1900 to 9999; an error message names these bounds. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createUser, eventBody } from '../support/factories.ts';
import { type ApiResponse, expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const organizer = await createUser(api);

const create = (startAt: string, endAt: string) =>
  api.post('/v1/events', organizer.token, eventBody({ startAt, endAt }));
const messageOf = (response: ApiResponse, path: string): string =>
  expectProblem(response, 400, 'invalid_request').body.errors.find(
    (error: { path: string }) => error.path === path,
  )?.message;

// spec: 7 GET /v1/events: one shape for every error
test('timestamps: 400 with a message that names the bounds for a time outside 1900 to 9999, 201 at both bounds', async () => {
  const bounds = /timestamp.* from 1900-01-01T00:00:00Z to 9999-12-31T23:59:59\.999Z/;
  const early = [
    '1899-12-31T23:59:59.999Z',
    '1900-01-01T00:30:00+01:00',
    '1066-10-14T09:00:00Z',
    '0001-01-01T00:00:00Z',
  ];
  for (const startAt of early)
    assert.match(messageOf(await create(startAt, '2026-12-24T18:00:00Z'), 'startAt'), bounds);
  const late = '9999-12-31T23:59:59-01:00';
  assert.match(messageOf(await create('2026-12-24T18:00:00Z', late), 'endAt'), bounds);
  for (const query of ['dateFrom=1899-12-31', 'dateTo=1850-01-01T00:00:00Z']) {
    const response = await api.get(`/v1/events?${query}`);
    assert.match(messageOf(response, query.split('=', 1)[0] ?? ''), bounds);
  }
  expectStatus(await create('1900-01-01T01:00:00+01:00', '1900-12-31T00:00:00Z'), 201);
  expectStatus(await create('9999-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'), 201);
});

test('timestamps: the OpenAPI document names the bounds at startAt and endAt', async () => {
  const { body: document } = expectStatus(await api.get('/openapi.json'), 200);
  for (const name of ['startAt', 'endAt'])
    assert.match(document.components.schemas.CreateEventBody.properties[name].description, /1900.*9999/);
});
