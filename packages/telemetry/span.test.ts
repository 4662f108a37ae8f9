/** Spans, with the tracer of the export, and what they cost without one. */
import assert from 'node:assert/strict';
import test, { afterEach } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTracer, type RecordedSpan } from './export/tracer.ts';
import { activeTracer, batchSpan, currentSpan, rootSpan, span, traceHeaders, useTracer } from './span.ts';
import type { SpanContext } from './traceparent.ts';

type Exported = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  links: Pick<SpanContext, 'traceId' | 'spanId'>[];
  status: { code?: number };
  attributes: { key: string; value: object }[];
};

let ended: RecordedSpan[] = [];
const record = (sampling = { followsParent: true, ratio: 1 }) => {
  ended = [];
  useTracer(createTracer(sampling, (each) => ended.push(each)));
};
const exported = () => ended.map((each) => each.toOtlp() as Exported);
afterEach(() => useTracer(undefined));

test('span: without a tracer, the work runs as it is', async () => {
  const work = Promise.resolve(7);
  assert.equal(activeTracer(), undefined);
  for (const result of [span('a', {}, () => work), rootSpan('a', () => work), batchSpan([], () => work)])
    assert.equal(result, work);
  assert.deepEqual([currentSpan(), traceHeaders()], [undefined, {}]);
});

test('span: work within a span is below it, and work that is in none is not recorded', async () => {
  record();
  await span('alone', {}, async () => {});
  await rootSpan('job', async () => {
    await Promise.all([span('a', {}, () => sleep(1)), span('b', {}, () => span('c', {}, () => sleep(1)))]);
  });
  const byName = new Map(exported().map((each) => [each.name, each]));
  assert.deepEqual([...byName.keys()].sort(), ['a', 'b', 'c', 'job']);
  const job = byName.get('job');
  assert.equal(job?.parentSpanId, undefined);
  assert.deepEqual(
    ['a', 'b', 'c'].map((name) => byName.get(name)?.parentSpanId),
    [job?.spanId, job?.spanId, byName.get('b')?.spanId],
  );
  assert.equal(new Set(exported().map(({ traceId }) => traceId)).size, 1);
});

test('span: a failure is an error with its code, and none of its words', async () => {
  record();
  const failure = Object.assign(new Error('secret words'), { code: 'ECONNREFUSED' });
  await assert.rejects(
    rootSpan('job', async () => Promise.reject(failure)),
    failure,
  );
  const [job] = exported();
  assert.deepEqual(job?.status, { code: 2 });
  assert.deepEqual(job?.attributes, [{ key: 'error.type', value: { stringValue: 'ECONNREFUSED' } }]);
});

test('span: work that outlasts its span adds nothing to the trace', async () => {
  record();
  let later: Promise<unknown> | undefined;
  await rootSpan('job', async () => {
    later = sleep(10).then(() => span('late', {}, () => sleep(1)));
  });
  await later;
  assert.deepEqual(
    exported().map(({ name }) => name),
    ['job'],
  );
});

test('span: the share of the traces is that of the sampler, for each trace the same', async () => {
  record({ followsParent: false, ratio: 0.25 });
  for (let i = 0; i < 4_000; i++) await rootSpan('job', async () => span('a', {}, async () => {}));
  const jobs = exported().filter(({ name }) => name === 'job');
  assert.ok(jobs.length > 800 && jobs.length < 1_200, `${jobs.length}`);
  assert.equal(exported().length, 2 * jobs.length);
  const tracer = activeTracer();
  const parent = { traceId: 'f'.repeat(32), spanId: 'a'.repeat(16), isSampled: true };
  assert.equal(tracer?.start('a', { parent }).isSampled, false);
  record({ followsParent: true, ratio: 0 });
  assert.equal(activeTracer()?.start('a', { parent }).isSampled, true);
});

test('batch: of items that are not recorded, nothing is recorded, although another item caused it', async () => {
  record();
  const unrecorded = activeTracer()?.start('x', {
    parent: { traceId: 'f'.repeat(32), spanId: 'a'.repeat(16), isSampled: false },
  });
  await rootSpan('other', () =>
    batchSpan([{ span: unrecorded }], async () => {
      assert.match(`${traceHeaders().traceparent}`, /^00-f{32}-[\da-f]{16}-00$/);
      await span('statement', {}, async () => {});
    }),
  );
  assert.deepEqual(
    exported().map(({ name }) => name),
    ['other'],
  );
});
