import assert from 'node:assert/strict';
import test, { afterEach } from 'node:test';
import { pino } from 'pino';
import { assertIsOtlp } from '../../test/support/otlp-definitions.ts';
import { toLogRecord } from './export/log-record.ts';
import { createTracer } from './export/tracer.ts';
import { notExported, telemetryOptions, useLogExport } from './log-lines.ts';
import { currentSpan, rootSpan, useTracer } from './span.ts';

afterEach(() => {
  useTracer(undefined);
  useLogExport(undefined);
});

/** A log as that of a server. `written`: its lines. */
function createLog() {
  const written: string[] = [];
  const options = { ...telemetryOptions(), serializers: { err: pino.stdSerializers.err } };
  const log = pino(options, { write: (line) => written.push(line) });
  return { log, written };
}

test('log lines: without an export, the logger has no further options', () => {
  assert.deepEqual(telemetryOptions(), {});
});

test('log lines: a line within a span has its ids, and others have none', async () => {
  useTracer(createTracer({ followsParent: true, ratio: 1 }, () => {}));
  const { log, written } = createLog();
  let span = currentSpan();
  await rootSpan('job', async () => {
    span = currentSpan();
    log.info('within');
  });
  log.info('outside');
  const [within, outside] = written.map((line) => JSON.parse(line));
  assert.deepEqual([within.trace_id, within.span_id], [span?.traceId, span?.spanId]);
  assert.ok(!('trace_id' in outside));
});

test('log lines: each line is exported but those for the operator alone', () => {
  const exported: string[] = [];
  useLogExport((line) => exported.push(line));
  const { log, written } = createLog();
  log.info('a');
  log.warn({ [notExported]: true, code: '123456' }, 'a code');
  log.debug('below the level');
  log.info({ a: 1 }, 'b');
  assert.deepEqual(
    written.map((line) => JSON.parse(line).msg),
    ['a', 'a code', 'b'],
  );
  assert.deepEqual(exported, [written[0], written[2]]);
});

test('log lines: a line is a record with its level, text, fields, error and trace', () => {
  const traceId = 'a'.repeat(32);
  const spanId = 'b'.repeat(16);
  const { log, written } = createLog();
  const error = Object.assign(new TypeError('no'), { stack: 'TypeError: no\n at x' });
  log.error({ err: error, ms: 1.5, list: [1, 'x', null], trace_id: traceId, span_id: spanId }, 'failed');
  const record = toLogRecord(written[0] ?? '') as Record<string, unknown>;
  assertIsOtlp('logs', { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] });
  const { timeUnixNano, ...rest } = record;
  assert.match(`${timeUnixNano}`, /^\d{13}000000$/);
  assert.deepEqual(rest, {
    severityNumber: 17,
    severityText: 'error',
    body: { stringValue: 'failed' },
    attributes: [
      { key: 'ms', value: { doubleValue: 1.5 } },
      {
        key: 'list',
        value: { arrayValue: { values: [{ intValue: '1' }, { stringValue: 'x' }, {}] } },
      },
      { key: 'exception.type', value: { stringValue: 'TypeError' } },
      { key: 'exception.message', value: { stringValue: 'no' } },
      { key: 'exception.stacktrace', value: { stringValue: 'TypeError: no\n at x' } },
    ],
    traceId,
    spanId,
  });
});

test('log lines: the levels of pino are those of OpenTelemetry', () => {
  const numbers = [10, 20, 30, 40, 50, 60].map(
    (level) => (toLogRecord(JSON.stringify({ level, time: 1 })) as { severityNumber: number }).severityNumber,
  );
  assert.deepEqual(numbers, [1, 5, 9, 13, 17, 21]);
});
