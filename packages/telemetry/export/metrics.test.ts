import assert from 'node:assert/strict';
import test from 'node:test';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { assertIsOtlp } from '../../../test/support/otlp-definitions.ts';
import { readMetrics } from './metrics.ts';

type Json = Record<string, unknown>;

/** The metrics of a registry, without their times. */
async function read(registry: Registry): Promise<unknown> {
  const metrics = await readMetrics(registry);
  const resourceMetrics = [{ resource: {}, scopeMetrics: [{ scope: { name: 'x' }, metrics }] }];
  assertIsOtlp('metrics', { resourceMetrics });
  return JSON.parse(JSON.stringify(metrics), (key, value) =>
    /TimeUnixNano|^timeUnixNano/.test(key) ? void assert.match(value, /^\d{19}$/) : value,
  );
}

const label = (key: string, stringValue: string) => ({ key, value: { stringValue } });

test('metrics: a counter is a sum that only grows, and a gauge a gauge, with name, help and labels', async () => {
  const registry = new Registry();
  const registers = [registry];
  registry.setDefaultLabels({ worker: '2' });
  new Counter({ name: 'failures_total', help: 'Failures.', labelNames: ['name'], registers }).inc(
    { name: 'a' },
    3,
  );
  const gauge = new Gauge({ name: 'lag_seconds', help: 'Lag.', registers });
  gauge.set(-0.5);
  new Gauge({ name: 'empty', help: 'None.', labelNames: ['x'], registers });
  assert.deepEqual(await read(registry), [
    {
      name: 'failures_total',
      description: 'Failures.',
      sum: {
        aggregationTemporality: 2,
        isMonotonic: true,
        dataPoints: [{ asDouble: 3, attributes: [label('name', 'a'), label('worker', '2')] }],
      },
    },
    {
      name: 'lag_seconds',
      description: 'Lag.',
      gauge: { dataPoints: [{ asDouble: -0.5, attributes: [label('worker', '2')] }] },
    },
  ]);
  gauge.set(Number.NaN);
  assert.match(JSON.stringify(await read(registry)), /"asDouble":"NaN"/);
});

test('metrics: each bucket of a histogram has its own values alone', async () => {
  const registry = new Registry();
  const seconds = new Histogram({
    name: 'request_seconds',
    help: 'Time.',
    labelNames: ['route'],
    buckets: [0.1, 1],
    registers: [registry],
  });
  for (const value of [0.05, 0.07, 0.5, 3]) seconds.observe({ route: '/a' }, value);
  seconds.observe({ route: '/b' }, 1);
  const [metric] = (await read(registry)) as [{ histogram: { dataPoints: Json[] } }];
  assert.deepEqual(metric.histogram.dataPoints, [
    {
      attributes: [label('route', '/a')],
      count: '4',
      sum: 3.62,
      explicitBounds: [0.1, 1],
      bucketCounts: ['2', '1', '1'],
    },
    {
      attributes: [label('route', '/b')],
      count: '1',
      sum: 1,
      explicitBounds: [0.1, 1],
      bucketCounts: ['0', '1', '0'],
    },
  ]);
});
