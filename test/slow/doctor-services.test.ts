/** The command `doctor`: the services that a server uses. Those of the tests run, refuse or are away. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { Collector } from '../support/collector.ts';
import { findFreePorts } from '../support/free-ports.ts';
import { MailServer } from '../support/mail-server.ts';
import { OidcProvider } from '../support/oidc-stub.ts';
import { cleanUpAfterTests, createTempDir } from '../support/processes.ts';
import { s3Env, s3Stub } from '../support/s3-stub.ts';
import { doctor, secrets } from './doctor-runs.ts';

cleanUpAfterTests();

const [closed] = await findFreePorts(1);
/** Without a database, which these tests do not need. */
const env = {
  DATA_DIR: await createTempDir(),
  DATABASE_URL: `postgres://me:${secrets.database}@127.0.0.1:${closed}/none`,
};
const without = (broken: string[]) => broken.filter((check) => check !== 'database');
const number = '+12025550147';

async function openMail(reply?: MailServer['reply']) {
  const server = new MailServer(reply && { reply });
  const port = await server.listen();
  after(() => server.close());
  const more = {
    MAIL_URL: `smtp://club:${secrets.mail}@127.0.0.1:${port}`,
    MAIL_FROM: 'club@sender.invalid',
  };
  return { server, env: { ...env, ...more } };
}

describe('doctor of services', { concurrency: 2 }, () => {
  test('mail: good with a mail server that accepts the password, and nothing is sent without --send-to', async () => {
    const { server, env } = await openMail();
    const { broken, of } = await doctor(env);
    assert.deepEqual(without(broken), []);
    assert.match(of('mail server')[0] ?? '', /^good .* accepts the user and the password/);
    assert.deepEqual(of('test message'), []);
    assert.equal(server.received.length, 0);
    const sent = await doctor(env, { args: ['--send-to', 'noor@example.net'] });
    assert.match(sent.of('test message')[0] ?? '', /^good .* accepted the mail: 250 2\.0\.0 accepted\./);
    assert.equal(server.received[0]?.to, 'noor@example.net');
  });

  test('mail: broken with a password that the mail server refuses, a mail that it refuses, and none at the address', async () => {
    // A mail server that repeats what it was sent.
    const refusing = await openMail((command) =>
      command === 'AUTH' ? `535 5.7.8 not ${decodeURIComponent(secrets.mail)}` : undefined,
    );
    const refused = await doctor(refusing.env);
    assert.deepEqual(without(refused.broken), ['mail server']);
    assert.match(
      refused.of('mail server')[0] ?? '',
      /535 5\.7\.8 not ….* \| Correct the user and the password/,
    );
    const full = await openMail((command) => (command === 'RCPT' ? '550 5.1.1 no such user' : undefined));
    const rejected = await doctor(full.env, { args: ['--send-to', 'gone@example.net'] });
    assert.deepEqual(without(rejected.broken), ['test message']);
    assert.match(rejected.of('test message')[0] ?? '', /550 5\.1\.1 no such user \(rejected/);
    const MAIL_URL = `smtp://club:${secrets.mail}@127.0.0.1:${closed}`;
    const away = await doctor({ ...env, MAIL_URL, MAIL_FROM: 'club@sender.invalid' });
    assert.match(away.of('mail server')[0] ?? '', /^broken .*ECONNREFUSED.* \| Correct MAIL_URL/);
  });

  test('text messages: --send-to sends one; broken with the words of a service that refuses, without the number', async () => {
    const bodies: string[] = [];
    let status = 200;
    const service = createServer(async (request, response) => {
      const body = await text(request);
      bodies.push(body);
      response.writeHead(status).end(`no credit for ${body} of ${request.headers.authorization}`);
    }).listen(0, '127.0.0.1');
    await once(service, 'listening');
    after(() => service.close());
    const { port } = service.address() as AddressInfo;
    const sms = {
      ...env,
      SMS_DRIVER: 'http',
      SMS_HTTP_URL: `http://127.0.0.1:${port}/send`,
      SMS_HTTP_HEADERS: JSON.stringify({ authorization: `Token ${secrets.token}` }),
      SMS_HTTP_BODY: '{"to":"{phone}","digits":"{digits}","text":"{text}"}',
    };
    assert.match(
      (await doctor(sms)).of('text messages')[0] ?? '',
      /no message was sent\. \| .*--send-to NUMBER/,
    );
    assert.deepEqual(bodies, []);
    const args = ['--send-to', number];
    const sent = await doctor(sms, { args });
    assert.match(sent.of('test message')[0] ?? '', /^good /);
    assert.match(bodies[0] ?? '', /\+12025550147.*this is a test/);
    status = 402;
    const refused = await doctor(sms, { args });
    assert.deepEqual(without(refused.broken), ['test message']);
    assert.match(refused.of('test message')[0] ?? '', /refused \(status 402\)\. Its words: no credit for /);
    assert.doesNotMatch(JSON.stringify(refused.findings), /2025550147/);
  });

  test('OpenID Connect: good; broken with another issuer, and while the provider is away', async () => {
    const { provider, close } = await OidcProvider.open();
    const oidc = { ...env, ...provider.env(), OIDC_CLIENT_SECRET: secrets.client };
    assert.match((await doctor(oidc)).of('OpenID Connect')[0] ?? '', /^good .*\/sign-in\/oidc\.$/);
    provider.script.metadata = { issuer: 'https://id.example.org/other' };
    const other = await doctor(oidc);
    assert.deepEqual(without(other.broken), ['OpenID Connect']);
    assert.ok(
      other
        .of('OpenID Connect')[0]
        ?.includes(
          `OIDC_ISSUER is ${provider.url}/, and the provider calls itself https://id.example.org/other.`,
        ),
    );
    close();
    assert.match((await doctor(oidc)).of('OpenID Connect')[0] ?? '', /^broken .*ECONNREFUSED/);
  });

  test('bucket: an object is written, read and deleted; broken while it fails, and without a service', async () => {
    const stub = await s3Stub();
    const s3 = (endpoint: string) => ({ ...env, ...s3Env(endpoint), S3_SECRET_ACCESS_KEY: secrets.s3 });
    const { of, broken } = await doctor(s3(stub.url));
    assert.deepEqual(without(broken), []);
    assert.match(of('bucket')[0] ?? '', /^good /);
    assert.deepEqual(
      stub.requests.map((request) => request.split(' ')[0]),
      ['PUT', 'GET', 'DELETE'],
    );
    assert.equal(stub.objects.size, 0);
    stub.setFailing(true);
    assert.match(
      (await doctor(s3(stub.url))).of('bucket')[0] ?? '',
      /^broken No object can be written to the bucket/,
    );
    const away = await doctor(s3(`http://127.0.0.1:${closed}`));
    assert.deepEqual(without(away.broken), ['bucket']);
    assert.match(away.of('bucket')[0] ?? '', /ECONNREFUSED.* \| Correct the variables S3_/);
  });

  test('telemetry: good with a collector; broken while it refuses, and without one, with no word of the headers', async () => {
    const collector = await new Collector().listen();
    after(() => collector.close());
    const telemetry = (url: string) => ({
      ...env,
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${secrets.token}`,
    });
    const { of, broken } = await doctor(telemetry(collector.url));
    assert.deepEqual(without(broken), []);
    assert.deepEqual(of('telemetry'), [
      `good ${collector.url}/v1/traces takes traces.`,
      `good ${collector.url}/v1/metrics takes metrics.`,
    ]);
    collector.respond = (_request, response) => void response.writeHead(401).end(secrets.token);
    assert.match(
      (await doctor(telemetry(collector.url))).of('telemetry')[0] ?? '',
      /^broken .* status 401\./,
    );
    const away = await doctor(telemetry(`http://127.0.0.1:${closed}`));
    assert.deepEqual(without(away.broken), ['telemetry']);
    assert.match(away.of('telemetry')[0] ?? '', /no traces: ECONNREFUSED\. \| Start the collector/);
  });

  test('replicas: broken for one that is away; streets: broken for a file that is no map', async () => {
    const MAP_TILES = path.join(env.DATA_DIR, 'map.pmtiles');
    await writeFile(MAP_TILES, 'no map');
    const { of, broken } = await doctor({
      ...env,
      MAP_TILES,
      DATABASE_REPLICA_URLS: `postgres://me:${secrets.database}@127.0.0.1:${closed}/x,postgres://127.0.0.1:${closed}/y`,
    });
    assert.deepEqual(without(broken), ['replicas', 'streets']);
    assert.equal(of('replicas').length, 2);
    for (const line of of('replicas')) assert.match(line, /ECONNREFUSED.* \| Start it, correct its URL/);
    assert.match(of('streets')[0] ?? '', /is not a PMTiles file of version 3/);
  });
});
