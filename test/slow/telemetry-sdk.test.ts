/** A server in which the operator has loaded an SDK of OpenTelemetry with instrumentation. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openSmsService } from '../sessions/sms-service.ts';
import { Collector, type ReceivedSpan } from '../support/collector.ts';
import { cleanUpAfterTests, createTempDir, type Server, serve, stop } from '../support/processes.ts';
import { cloneDatabase } from '../support/test-database.ts';
import { until } from '../support/workers.ts';

cleanUpAfterTests();

/** `.ci/run` installs them: with their dependencies they have 45 MiB, which nothing else needs. */
const packages = ['sdk-node@0.301.0', 'instrumentation-http@0.223.0', 'instrumentation-undici@0.33.0'].map(
  (name) => `@opentelemetry/${name}`,
);
const directory = path.join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'otel-sdk');
const urls = findPackages();

function findPackages(): string[] | null {
  try {
    const { resolve } = createRequire(path.join(directory, 'x.js'));
    return packages.map((name) => pathToFileURL(resolve(name.replace(/@[\d.]+$/, ''))).href);
  } catch {
    return null;
  }
}

/** Starts a server that loads the SDK before its own modules, as `NODE_OPTIONS` of an operator do. */
async function serveWithSdk([sdk, http, undici]: string[], env: Record<string, string>): Promise<Server> {
  const file = path.join(await createTempDir(), 'sdk.mjs');
  await writeFile(
    file,
    `import sdk from '${sdk}';
    import http from '${http}';
    import undici from '${undici}';
    const instrumentations = [new http.HttpInstrumentation(), new undici.UndiciInstrumentation()];
    new sdk.NodeSDK({ instrumentations }).start();`,
  );
  const production = {
    NODE_ENV: 'production',
    SECRET_KEY: 'a-key-of-thirty-two-characters-or-more',
    PUBLIC_URL: 'http://127.0.0.1',
    DATABASE_URL: await cloneDatabase(),
    NODE_OPTIONS: `--import=${file}`,
  };
  return serve({ env: { ...production, ...env } });
}

test('telemetry: spans of the server and those of an SDK that the operator has loaded are one trace', {
  skip: urls ? false : `no SDK is installed: npm install --prefix ${directory} ${packages.join(' ')}`,
}, async () => {
  const collector = await new Collector().listen();
  // The SDK has fields that are newer than the definitions.
  collector.checksMessages = false;
  const sms = await openSmsService();
  after(() => [collector, sms].map((each) => each.close()));
  const server = await serveWithSdk(urls ?? [], {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '200',
    OTEL_METRICS_EXPORTER: 'none',
    SMS_DRIVER: 'http',
    SMS_HTTP_URL: `${sms.url}?to={phone}&text={text}`,
    SMS_HTTP_METHOD: 'GET',
  });
  const traceId = 'abcdefabcdefabcdefabcdefabcdefab';
  const response = await fetch(`${server.url}/v1/auth/otp/request`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    body: JSON.stringify({ phone: '+12025550142' }),
  });
  assert.equal(response.status, 202);
  const find = (what: string, isSearched: (span: ReceivedSpan) => boolean) =>
    collector.untilSpan(what, (span) => span.traceId === traceId && isSearched(span));
  const begun = await find('the span of the instrumentation', ({ kind }) => kind === 2);
  const request = await find('the request', ({ name }) => name === 'POST /v1/auth/otp/request');
  const statement = await find('a statement', ({ name }) => name === 'INSERT codes');
  const sending = await find('the text message', ({ name }) => name === 'send SMS');
  const sent = await find(
    'its request',
    ({ kind, parentSpanId }) => kind === 3 && parentSpanId === sending.spanId,
  );
  assert.equal(begun.parentSpanId, '00f067aa0ba902b7');
  assert.deepEqual([request.parentSpanId, request.kind], [begun.spanId, 1]);
  assert.equal(statement.parentSpanId, request.spanId);
  assert.equal(request.attributes['http.response.status_code'], 202);
  assert.equal(sms.received.at(-1)?.headers.traceparent, `00-${traceId}-${sent.spanId}-01`);
  assert.equal(collector.spans.filter(({ spanId }) => spanId === request.spanId).length, 1);
  await until('the log', async () => collector.records.length > 0);
  assert.equal(await stop(server, 'SIGTERM'), 0);
  const exports = collector.spans.filter(({ attributes }) =>
    `${attributes['url.full']}`.startsWith(collector.url),
  );
  assert.deepEqual([exports, collector.faults], [[], []]);
});
