import assert from 'node:assert/strict';
import test from 'node:test';
import { configFaults } from '../../test/support/config-faults.ts';
import { readConfig } from './config.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.test:4318' };
const read = (env: NodeJS.ProcessEnv) => readConfig({ ...endpoint, ...env }).telemetry;

test('config: without the address of a collector, nothing is exported with any other variables', () => {
  const others = { OTEL_TRACES_SAMPLER: 'xray', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_SERVICE_NAME: 'x' };
  assert.equal(readConfig(others).telemetry, undefined);
  assert.equal(read({ OTEL_SDK_DISABLED: 'TRUE' }), undefined);
});

test('config: the paths of the signals are appended to the common address, and not to their own', () => {
  const urls = (env: NodeJS.ProcessEnv) => {
    const { traces, metrics, logs } = readConfig(env).telemetry?.destinations ?? {};
    return [traces?.url, metrics?.url, logs?.url];
  };
  assert.deepEqual(urls({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://a.test/otlp/' }), [
    'https://a.test/otlp/v1/traces',
    'https://a.test/otlp/v1/metrics',
    'https://a.test/otlp/v1/logs',
  ]);
  const own = 'http://127.0.0.1:9090/api/v1/otlp/v1/metrics';
  const traces = 'http://collector.test:4318/v1/traces';
  assert.deepEqual(
    urls({ ...endpoint, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: own, OTEL_LOGS_EXPORTER: 'none' }),
    [traces, own, undefined],
  );
  assert.deepEqual(urls({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: own }), [undefined, own, undefined]);
});

test('config: headers, the attributes of the server, and the sampler', () => {
  const telemetry = read({
    OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=a%20b%3D%2C, x-tenant = village',
    OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'x-other=1',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=village,service.name=other',
    OTEL_SERVICE_NAME: 'events',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '.25',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
  });
  const { traces, logs } = telemetry?.destinations ?? {};
  assert.deepEqual(traces?.headers, { 'x-api-key': 'a b=,', 'x-tenant': 'village' });
  assert.deepEqual([logs?.headers, logs?.isCompressed], [{ 'x-other': '1' }, true]);
  const { 'service.version': version, ...resource } = telemetry?.resource ?? {};
  assert.match(`${version}`, /^\d+\.\d+\.\d+/);
  assert.deepEqual(resource, { 'deployment.environment.name': 'village', 'service.name': 'events' });
  assert.deepEqual(telemetry?.sampling, { followsParent: false, ratio: 0.25 });
});

test('config: each sampler of OpenTelemetry', () => {
  for (const [name, ratio] of [
    ['always_on', 1],
    ['always_off', 0],
    ['traceidratio', 0.5],
  ] as const) {
    const of = (OTEL_TRACES_SAMPLER: string) =>
      read({ OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG: '0.5' })?.sampling;
    assert.deepEqual(of(name), { followsParent: false, ratio });
    assert.deepEqual(of(`parentbased_${name}`), { followsParent: true, ratio });
  }
  assert.deepEqual(read({})?.sampling, { followsParent: true, ratio: 1 });
});

test('config: an invalid variable of OpenTelemetry is an error of one line, without the keys of a header', () => {
  const cases: [NodeJS.ProcessEnv, RegExp][] = [
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' }, /^OTEL_EXPORTER_OTLP_ENDPOINT is not an address/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://me:hidden@a.test' }, /ENDPOINT must have no user/],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /^OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"; .* http\/json\.$/],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'hidden' }, /^OTEL_EXPORTER_OTLP_HEADERS is not a list/],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'x-key=hidden%' }, /^OTEL_EXPORTER_OTLP_HEADERS is not a list/],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'x-key=hid%0Aden' }, /^OTEL_EXPORTER_OTLP_HEADERS has a header/],
    [{ OTEL_RESOURCE_ATTRIBUTES: 'a' }, /^OTEL_RESOURCE_ATTRIBUTES is not a list/],
    [{ OTEL_TRACES_SAMPLER: 'xray' }, /^OTEL_TRACES_SAMPLER is "xray"/],
    [{ OTEL_TRACES_SAMPLER_ARG: '1.5' }, /^OTEL_TRACES_SAMPLER_ARG is "1\.5"; .* from 0 to 1\.$/],
    [{ OTEL_TRACES_SAMPLER_ARG: 'half' }, /^OTEL_TRACES_SAMPLER_ARG is "half"/],
    [{ OTEL_METRIC_EXPORT_INTERVAL: '0' }, /^OTEL_METRIC_EXPORT_INTERVAL is "0"/],
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, /^OTEL_TRACES_EXPORTER is "zipkin"/],
  ];
  for (const [env, expected] of cases) {
    const [fault = '', ...others] = configFaults({ ...endpoint, ...env });
    assert.match(fault, expected);
    assert.deepEqual([others, fault.includes('hidden')], [[], false]);
  }
});
