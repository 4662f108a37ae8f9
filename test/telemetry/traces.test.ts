/** Traces: the spans of requests, statements and batches, and where a trace comes from. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { ReceivedSpan } from '../support/collector.ts';
import {
  createEvent,
  createItem,
  createUser,
  createUsers,
  eventBody,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { type CallOptions, expectStatus } from '../support/setup.ts';
import { until } from '../support/workers.ts';
import { newTrace, startTracedApp } from './traced-app.ts';

const { api, collector } = await startTracedApp({ pages: true, env: { RATE_LIMIT: '100000' } });
const organizer = await createUser(api);
const event = await createEvent(api, organizer);
const item = await createItem(api, organizer, event.id, { quantityNeeded: 50 });

const isRequest = (span: ReceivedSpan) => 'http.request.method' in span.attributes;
const isStatement = (span: ReceivedSpan) => 'db.query.summary' in span.attributes;
const traceOf = (traceId: string) => collector.spans.filter((span) => span.traceId === traceId);

/** The spans of a request that `send` sends, once that of the request itself has arrived. */
async function spansBy<R>(send: (headers: Record<string, string>) => Promise<R>) {
  const { traceId, headers } = newTrace();
  const response = await send(headers);
  const isRoot = (span: ReceivedSpan) => span.traceId === traceId && span.kind === 2;
  const root = await collector.untilSpan('a request', isRoot);
  return { response, root, spans: traceOf(traceId) };
}

const spansOf = (method: string, path: string, options: CallOptions = {}) =>
  spansBy((headers) => api.call(method, path, { ...options, headers }));

test('trace: a request is a span with the pattern of its route, its method and its status', async () => {
  const { root, spans } = await spansOf('GET', `/v1/events/${event.id}`, {
    token: organizer.token,
  });
  assert.equal(root.name, 'GET /v1/events/:id');
  assert.equal(root.parentSpanId, '00f067aa0ba902b7');
  const { 'potluck.request.id': id, ...attributes } = root.attributes;
  assert.match(`${id}`, /^[\w-]{36}$/);
  assert.deepEqual(attributes, {
    'http.request.method': 'GET',
    'http.route': '/v1/events/:id',
    'http.response.status_code': 200,
  });
  assert.deepEqual(root.status, {});
  assert.equal(root.resource['service.name'], 'potluck');
  assert.ok(BigInt(root.endTimeUnixNano) >= BigInt(root.startTimeUnixNano));
  assert.ok(spans.some(isStatement));
});

test('trace: refusals and unknown paths are no errors; a span has no path that is no route', async () => {
  const missing = await spansOf('PUT', '/v1/no/such/path');
  assert.equal(missing.root.name, 'PUT');
  assert.equal(missing.root.attributes['http.response.status_code'], 404);
  const refused = await spansOf('GET', '/v1/auth/me');
  assert.deepEqual([refused.root.attributes['http.response.status_code'], refused.root.status], [401, {}]);
});

test('trace: each statement of each request is below the span of the request, also with a body and in turns', async () => {
  const people = await createUsers(api, 3);
  // Who claims must be going before.
  for (const person of people) await rsvpGoing(api, person, event.id);
  const requests = people.flatMap(({ token }) => [
    spansOf('POST', '/v1/events', { token, body: eventBody() }),
    spansOf('GET', '/v1/me/claims', { token }),
    spansOf('PATCH', '/v1/me', { token, body: { bio: 'Baker' } }),
    spansOf('POST', `/v1/events/${event.id}/rsvp`, { token, body: { status: 'going' } }),
    spansOf('POST', `/v1/items/${item.id}/claim`, { token, body: { quantity: 1 } }),
    spansOf('GET', '/v1/notifications', { token }),
  ]);
  for (const { response, root, spans } of await Promise.all(requests)) {
    assert.ok(response.status < 300, `${root.name} ${response.status}`);
    const ids = new Set(spans.map(({ spanId }) => spanId));
    for (const span of spans) assert.ok(span === root || ids.has(`${span.parentSpanId}`), span.name);
    const batches = collector.spans.filter((span) =>
      span.links.some((link) => link.traceId === root.traceId),
    );
    const served = [...spans, ...batches.flatMap(({ traceId }) => traceOf(traceId))];
    assert.ok(served.some(isStatement), `${root.name} has no statement`);
  }
  const traces = new Set(collector.spans.filter(isRequest).map(({ traceId }) => traceId));
  assert.deepEqual(
    collector.spans.filter((span) => isStatement(span) && !traces.has(span.traceId)).map(({ name }) => name),
    [],
  );
});

test('trace: the calls of a page to the API are below the page', async () => {
  const { root, spans } = await spansBy((headers) => fetch(`${api.url}/e/${event.id}`, { headers }));
  assert.equal(root.name, 'GET /*');
  const calls = spans.filter((span) => span.name === 'GET /v1/events/:id');
  assert.equal(calls.length, 1);
  assert.equal(calls[0]?.parentSpanId, root.spanId);
  assert.equal(calls[0]?.kind, 1);
});

test('trace: requests on one connection have nothing in common', async () => {
  const sent = [];
  for (let i = 0; i < 5; i++) sent.push(await spansOf('GET', `/v1/events/${event.id}`));
  for (const { root } of sent) assert.equal(root.parentSpanId, '00f067aa0ba902b7');
});

test('trace: a request that the sender does not record is not exported, nor what it causes', async () => {
  const { traceId, headers } = newTrace('00');
  expectStatus(await api.call('GET', `/v1/events/${event.id}`, { headers }), 200);
  await spansOf('GET', `/v1/events/${event.id}`);
  assert.deepEqual(traceOf(traceId), []);
});

test('trace: a header that is malformed begins a trace', async () => {
  const id = 'abcdefabcdefabcdefabcdefabcdefab';
  const before = collector.spans.length;
  for (const traceparent of ['x', `00-${id}-00f067aa0ba902b7`, `00-${id}-0000000000000000-01`]) {
    expectStatus(await api.call('GET', `/v1/events/${event.id}`, { headers: { traceparent } }), 200);
    const isNext = (span: ReceivedSpan) => span.kind === 2 && span.parentSpanId === undefined;
    await until('the span', async () => collector.spans.slice(before).some(isNext));
  }
  assert.deepEqual(traceOf(id), []);
});

test('trace: a batch is below one of its requests, and the others and the batch link to each other', async () => {
  const people = await createUsers(api, 12);
  const answer = ({ token }: Person) =>
    spansOf('POST', `/v1/events/${event.id}/rsvp`, { token, body: { status: 'going' } });
  const answers: Awaited<ReturnType<typeof answer>>[] = [];
  const batchesOfSeveral = () =>
    collector.spans.filter(({ name, links }) => name === 'batch' && links.length > 0);
  // Requests share a batch if they arrive while another one runs.
  await until('requests that share a batch', async () => {
    answers.push(...(await Promise.all(people.map(answer))));
    return batchesOfSeveral().length > 0;
  });
  const batches = batchesOfSeveral();
  for (const { root, response } of answers) {
    expectStatus(response, 200);
    const own = traceOf(root.traceId).some(({ name }) => name === 'batch');
    const linked = batches.filter((batch) =>
      batch.links.some(({ traceId, spanId }) => traceId === root.traceId && spanId === root.spanId),
    );
    assert.ok(own || linked.length > 0, 'a request is in no batch');
    for (const { traceId, spanId } of linked)
      assert.ok(root.links.some((link) => link.traceId === traceId && link.spanId === spanId));
  }
});
