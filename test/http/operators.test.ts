import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionLostError, type Statement } from '#pg';
import { createEvent, createUser } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { connectSql } from '../support/sql-tag.ts';

const api = await startTestApp();

test('health: 200 on healthz, and on readyz with a migrated database', async () => {
  assert.deepEqual(expectStatus(await api.get('/healthz'), 200).body, { status: 'ok' });
  assert.equal(expectStatus(await api.get('/readyz'), 200).body.status, 'ok');
});

// spec: 9 GET /healthz, GET /readyz, GET /metrics: endpoints for operators
test('health: without a database 503 with Retry-After on every operation that needs it; healthz stays 200', async () => {
  const disconnected = await api.startAnother({ sql: connectSql('postgres://reader@127.0.0.1:1/none') });
  expectStatus(await disconnected.get('/healthz'), 200);
  for (const path of ['/readyz', '/v1/events']) {
    const { headers } = expectProblem(await disconnected.get(path), 503, 'unavailable');
    assert.ok(Number(headers.get('retry-after')) >= 1, path);
  }
  const person = await createUser(api);
  expectProblem(await disconnected.get('/v1/auth/me', person.token), 503, 'unavailable');
  expectProblem(await disconnected.post('/v1/me/delete-code', person.token), 503, 'unavailable');
});

test('health: 503 on readyz while a migration is missing', async () => {
  const other = await startTestApp();
  await other.sql`delete from schema_version where version = (select max(version) from schema_version)`;
  expectProblem(await other.get('/readyz'), 503, 'unavailable');
});

// spec: 9 GET /healthz, GET /readyz, GET /metrics: endpoints for operators
test('metrics: requests by route and status, without ids', async () => {
  const organizer = await createUser(api);
  const event = await createEvent(api, organizer);
  await api.get(`/v1/events/${event.id}`);
  const { body } = expectStatus(await api.get('/metrics'), 200);
  assert.match(body, /potluck_request_seconds_count\{[^}]*route="\/v1\/events\/:id"[^}]*status="200"/);
  expectProblem(await api.get('/v1/nothing'), 404, 'route_not_found');
  const { body: later } = await api.get('/metrics');
  assert.match(later, /potluck_request_seconds_count\{[^}]*route="none"[^}]*status="404"/);
  assert.ok(!body.includes(event.id) && !body.includes(organizer.phone));
});

// spec: 9 GET /healthz, GET /readyz, GET /metrics: endpoints for operators
test('metrics: 404 for a request that a proxy has passed on, whether the server trusts the proxy or not', async () => {
  const trusting = await api.startAnother({ env: { TRUST_PROXY: 'loopback' } });
  for (const server of [api, trusting]) {
    expectStatus(await server.get('/metrics'), 200);
    for (const header of ['x-forwarded-for', 'forwarded']) {
      const headers = { [header]: 'for=203.0.113.9' };
      expectProblem(await server.call('GET', '/metrics', { headers }), 404, 'route_not_found');
      assert.equal((await fetch(`${server.url}/metrics`, { method: 'HEAD', headers })).status, 404);
    }
  }
});

test('pages: the API reference loads scripts and styles from this server only, and runs no script but its own', async () => {
  const { body, headers } = expectStatus(await api.get('/docs/'), 200);
  const policy = headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'self'/);
  assert.match(policy, /script-src 'self' 'sha256-[^ ;]+';/);
  const sources = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source = '']) => source);
  for (const source of sources) assert.ok(!/^(https?:)?\/\//.test(source), source);
  expectStatus(await api.get('/docs/js/scalar.js'), 200);
});

test('readiness: calls share a check that is at most one second old; 503 within a second of an outage', async () => {
  const db = connectSql(api.target);
  let statements = 0;
  let isDisconnected = false;
  const sql = Object.assign(db, {
    query: ((query) => (statement: Statement) => {
      if (statement.text.includes('schema_version')) statements++;
      if (isDisconnected) throw new ConnectionLostError(new Error('connect ECONNREFUSED'));
      return query(statement);
    })(db.query) as typeof db.query,
  });
  const other = await api.startAnother({ sql });
  for (let round = 0; round < 3; round++) {
    const responses = await Promise.all(Array.from({ length: 50 }, () => other.get('/readyz')));
    for (const response of responses) expectStatus(response, 200);
  }
  assert.ok(statements <= 4, `${statements} statements for 150 calls`);
  isDisconnected = true;
  await sleep(1_050);
  for (let round = 0; round < 2; round++) {
    for (const response of await Promise.all(Array.from({ length: 20 }, () => other.get('/readyz'))))
      expectProblem(response, 503, 'unavailable');
  }
  isDisconnected = false;
  await sleep(1_050);
  expectStatus(await other.get('/readyz'), 200);
});
test('pages: 200 with the language of the page; the colours of the API reference have a contrast of at least 4.5', async () => {
  for (const path of ['/docs/', '/docs/errors'])
    assert.match(expectStatus(await api.get(path), 200).body, /^<!doctype html>\s*<html lang="en">/, path);
  const { body } = expectStatus(await api.get('/docs/'), 200);
  const [, style = ''] = /<style[^>]*>(.*?)<\/style>/s.exec(body) ?? [];
  const themes = [
    {
      mode: 'light',
      backgrounds: ['#ffffff', '#f6f6f6'],
      names: ['2', '3', 'green', 'red', 'yellow', 'blue', 'orange'],
    },
    { mode: 'dark', backgrounds: ['#0f0f0f', '#1a1a1a'], names: ['3', 'red'] },
  ];
  for (const { mode, backgrounds, names } of themes) {
    const [, rules = ''] = new RegExp(`\\.${mode}-mode \\{(.*?)\\}`, 's').exec(style) ?? [];
    for (const name of names) {
      const [, colour = ''] = new RegExp(`--scalar-color-${name}: (#\\w+)`).exec(rules) ?? [];
      for (const background of backgrounds)
        assert.ok(contrast(colour, background) >= 4.5, `${mode} ${name}: ${colour} on ${background}`);
    }
  }
});

test('pages: 200 with a robots.txt that disallows /v1/ and allows the pages', async () => {
  const { body, headers } = expectStatus(await api.get('/robots.txt'), 200);
  assert.match(headers.get('content-type') ?? '', /^text\/plain/);
  assert.match(body, /^User-agent: \*\n/);
  assert.match(body, /^Disallow: \/v1\/$/m);
  assert.doesNotMatch(body, /^Disallow: \/(docs.*)?$/m);
  assert.match(body, /^Sitemap: http\S+\/sitemap\.xml$/m);
});

/** Computes the WCAG 2 contrast ratio of two hexadecimal colours. */
function contrast(a: string, b: string): number {
  const luminance = (colour: string) => {
    const digits = /^#(\w)(\w)(\w)$/
      .exec(colour)
      ?.slice(1)
      .map((digit) => digit + digit);
    const [red, green, blue] = (digits ?? colour.match(/\w\w/g) ?? []).map((hex) => {
      const value = Number.parseInt(hex, 16) / 255;
      return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    assert.ok(red !== undefined && green !== undefined && blue !== undefined, colour || 'no colour');
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}
