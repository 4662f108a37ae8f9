import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTracer, type RecordedSpan } from '../telemetry/export/tracer.ts';
import { rootSpan, span, useTracer } from '../telemetry/span.ts';
import { createWriteBatcher } from './batching.ts';

type Ids = { traceId: string; spanId: string };
type Exported = Ids & { parentSpanId?: string; name: string; links: Ids[] };

const ended: RecordedSpan[] = [];
useTracer(createTracer({ followsParent: true, ratio: 1 }, (each) => ended.push(each)));
after(() => useTracer(undefined));

test('batch: is below the first of its items; the others and the batch link to each other', async () => {
  const write = createWriteBatcher<string, string>(
    async (items) => {
      await span('statement', {}, () => sleep(1));
      return items;
    },
    { keysOf: (item) => [item], senderOf: (item) => item, targetOf: (item) => item },
  );
  await Promise.all(['a', 'b', 'c'].map((item) => rootSpan(item, () => write(item))));
  const exported = ended.map((each) => each.toOtlp() as Exported);
  const [statement, batch, a, b, c] = ['statement', 'batch', 'a', 'b', 'c'].map((name) =>
    exported.find((each) => each.name === name),
  );
  assert.ok(statement && batch && a && b && c);
  const idsOf = ({ traceId, spanId }: Exported) => ({ traceId, spanId });
  assert.equal(exported.length, 5);
  assert.deepEqual([statement.parentSpanId, batch.parentSpanId], [batch.spanId, a.spanId]);
  assert.deepEqual(batch.links, [b, c].map(idsOf));
  assert.deepEqual(
    [a, b, c].map(({ links }) => links),
    [[], [idsOf(batch)], [idsOf(batch)]],
  );
});
