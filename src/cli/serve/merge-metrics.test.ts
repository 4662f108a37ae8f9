import assert from 'node:assert/strict';
import test from 'node:test';
import { Counter, Gauge, Registry } from 'prom-client';
import { mergeMetrics } from './merge-metrics.ts';

/** The metrics of a process. */
async function metricsOf(worker: string, failures: Record<string, number>): Promise<string> {
  const registry = new Registry();
  registry.setDefaultLabels({ worker });
  const registers = [registry];
  new Gauge({ name: 'open', help: 'Two\nlines.', registers }).set(1);
  const counter = new Counter({ name: 'failures_total', help: 'Failures.', labelNames: ['job'], registers });
  for (const [job, count] of Object.entries(failures)) counter.inc({ job }, count);
  return registry.metrics();
}

test('metrics of several processes: each metric once, with the samples of all', async () => {
  const texts = await Promise.all([metricsOf('1', { sweep: 2 }), metricsOf('2', {})]);
  assert.deepEqual(mergeMetrics(texts).split('\n'), [
    '# HELP open Two\\nlines.',
    '# TYPE open gauge',
    'open{worker="1"} 1',
    'open{worker="2"} 1',
    '',
    '# HELP failures_total Failures.',
    '# TYPE failures_total counter',
    'failures_total{job="sweep",worker="1"} 2',
    '',
  ]);
});

test('metrics of one process: the text as it is', async () => {
  const text = await metricsOf('1', { sweep: 2 });
  assert.equal(mergeMetrics([text]), text);
});
