/** OpenTelemetry: variables of its specification, with the names and meanings that they have there. */
import { signals, type TelemetryConfig } from '#telemetry';
import manifest from '../../package.json' with { type: 'json' };
import type { Reader } from './reader.ts';

const samplers = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const;

/** Returns undefined without an address of a collector. The other variables then have no effect. */
export function readTelemetry(read: Reader): TelemetryConfig | undefined {
  const isOff = read.text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true';
  const urls = {
    all: readEndpoint(read, 'OTEL_EXPORTER_OTLP_ENDPOINT'),
    traces: readEndpoint(read, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'),
    metrics: readEndpoint(read, 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'),
    logs: readEndpoint(read, 'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT'),
  };
  if (isOff || !Object.values(urls).some(Boolean)) return undefined;
  read.oneOf('OTEL_EXPORTER_OTLP_PROTOCOL', ['http/json'], 'http/json');
  const options = {
    timeoutMs: read.whole('OTEL_EXPORTER_OTLP_TIMEOUT', 10_000, 1, 60_000),
    isCompressed: read.oneOf('OTEL_EXPORTER_OTLP_COMPRESSION', ['none', 'gzip'], 'none') === 'gzip',
  };
  const general = readHeaders(read, 'OTEL_EXPORTER_OTLP_HEADERS');
  const destinations: TelemetryConfig['destinations'] = {};
  for (const signal of signals) {
    const name = signal.toUpperCase();
    const own = readHeaders(read, `OTEL_EXPORTER_OTLP_${name}_HEADERS`);
    const isExported = read.oneOf(`OTEL_${name}_EXPORTER`, ['otlp', 'none'], 'otlp') === 'otlp';
    const url = urls[signal] ?? (urls.all && `${urls.all.replace(/\/$/, '')}/v1/${signal}`);
    const headers = Object.keys(own).length > 0 ? own : general;
    if (isExported && url) destinations[signal] = { url, headers, ...options };
  }
  return {
    destinations,
    resource: readResource(read),
    sampling: readSampling(read),
    metricIntervalMs: read.whole('OTEL_METRIC_EXPORT_INTERVAL', 60_000, 100, 3_600_000),
  };
}

function readEndpoint(read: Reader, name: string): string | undefined {
  const url = read.url(name, ['http:', 'https:']);
  if (url !== undefined && new URL(url).username !== '')
    read.faults.push(
      `${name} must have no user: OTEL_EXPORTER_OTLP_HEADERS has what the collector asks for.`,
    );
  return url;
}

function readResource(read: Reader): Record<string, string> {
  const name = read.text('OTEL_SERVICE_NAME');
  return {
    'service.name': 'potluck',
    'service.version': manifest.version,
    ...readPairs(read, 'OTEL_RESOURCE_ATTRIBUTES'),
    ...(name !== undefined && { 'service.name': name }),
  };
}

/** Reads `key=value,key=value`, with percent-encoded values. The values may be keys, so faults do not show them. */
function readPairs(read: Reader, name: string): Record<string, string> {
  const text = read.text(name);
  const pairs = (text?.split(',') ?? []).map((pair) => /^\s*([\w.\-/]+)\s*=\s*(.*?)\s*$/.exec(pair));
  try {
    return Object.fromEntries(
      pairs.map((pair) => {
        if (!pair) throw new URIError();
        const [, key = '', value = ''] = pair;
        return [key, decodeURIComponent(value)];
      }),
    );
  } catch {
    read.faults.push(
      `${name} is not a list such as key=value,key=value, with other special characters percent-encoded.`,
    );
    return {};
  }
}

function readHeaders(read: Reader, name: string): Record<string, string> {
  const headers = readPairs(read, name);
  try {
    new Headers(headers);
  } catch {
    read.faults.push(`${name} has a header with a name or a value that headers cannot have.`);
  }
  return headers;
}

function readSampling(read: Reader): TelemetryConfig['sampling'] {
  const name = read.oneOf('OTEL_TRACES_SAMPLER', samplers, 'parentbased_always_on');
  const text = read.text('OTEL_TRACES_SAMPLER_ARG') ?? '1';
  const share = /^(\d+(\.\d+)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  if (!(share <= 1))
    read.faults.push(`OTEL_TRACES_SAMPLER_ARG is "${text}"; it must be a number from 0 to 1.`);
  const ratio = name.endsWith('traceidratio') ? share : Number(name.endsWith('always_on'));
  return { followsParent: name.startsWith('parentbased_'), ratio };
}
