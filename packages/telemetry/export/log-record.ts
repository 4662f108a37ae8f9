/** Lines of the log as records of OTLP. */
import { pino } from 'pino';
import { nanosOf, toKeyValues } from './otlp.ts';

type Line = {
  level: number;
  time: number;
  msg?: string;
  trace_id?: string;
  span_id?: string;
  err?: { type?: string; message?: string; stack?: string };
};

/** @param line of pino, in JSON */
export function toLogRecord(line: string): object {
  const { level, time, msg, trace_id, span_id, err, ...fields } = JSON.parse(line) as Line;
  const { pid: _, hostname: __, ...attributes } = fields as Record<string, unknown>;
  return {
    timeUnixNano: nanosOf(time),
    // pino counts its levels from 10 to 60, OTLP from 1 to 21.
    severityNumber: Math.floor(level / 10) * 4 - 3,
    severityText: pino.levels.labels[level] ?? `${level}`,
    body: { stringValue: msg ?? '' },
    attributes: toKeyValues({
      ...attributes,
      ...(err && {
        'exception.type': `${err.type}`,
        'exception.message': `${err.message}`,
        'exception.stacktrace': `${err.stack}`,
      }),
    }),
    ...(trace_id !== undefined && { traceId: trace_id, spanId: span_id }),
  };
}
