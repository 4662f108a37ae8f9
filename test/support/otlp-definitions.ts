/**
 * The protobuf definitions of OTLP, of the project OpenTelemetry. `.ci/run` installs them: with their dependencies they have
 * 21 MB, which nothing else needs.
 */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Signal } from '#telemetry';

export type Json = Record<string, unknown>;
/** A type of protobufjs. */
type Type = { fromObject(object: Json): object; toObject(message: object, options: object): Json };

const name = '@opentelemetry/otlp-proto-exporter-base';
const directory = path.join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'otlp', 'x.js');

const types = readTypes();

export const definitionsProblem = types
  ? ''
  : `${name} is not installed: npm install --prefix node_modules/.cache/otlp ${name}@0.51.1`;

function readTypes(): Record<Signal, Type> | null {
  try {
    const root = createRequire(directory)(`${name}/build/src/generated/root.js`);
    const { trace, metrics, logs } = root.opentelemetry.proto.collector;
    return {
      traces: trace.v1.ExportTraceServiceRequest,
      metrics: metrics.v1.ExportMetricsServiceRequest,
      logs: logs.v1.ExportLogsServiceRequest,
    };
  } catch {
    return null;
  }
}

/**
 * Reads a message as the definitions have it, and writes it again. A field that they lack, or a value of another type, is
 * missing or different afterwards. Without the definitions, only the ids are compared.
 */
export function assertIsOtlp(signal: Signal, message: Json): void {
  const expected = withoutEmptyLists(withBase64Ids(message));
  const type = types?.[signal];
  if (!type) return;
  const read = type.toObject(type.fromObject(expected as Json), { longs: String, bytes: String, json: true });
  assert.deepEqual(withoutEmptyLists(read), expected);
}

const lengths: Record<string, number> = { traceId: 32, spanId: 16, parentSpanId: 16 };

/** Ids are the only bytes that OTLP writes otherwise than protobuf does. */
const withBase64Ids = (value: unknown): unknown =>
  mapFields(value, (field, inner) => {
    const length = lengths[field];
    if (length === undefined) return withBase64Ids(inner);
    assert.match(`${inner}`, new RegExp(`^(?!0+$)[\\da-f]{${length}}$`), field);
    return Buffer.from(`${inner}`, 'hex').toString('base64');
  });

const withoutEmptyLists = (value: unknown): unknown =>
  mapFields(value, (_field, inner) =>
    Array.isArray(inner) && inner.length === 0 ? undefined : withoutEmptyLists(inner),
  );

function mapFields(value: unknown, change: (field: string, inner: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => mapFields(each, change));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([field, inner]) => [field, change(field, inner)] as const);
  return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
}
