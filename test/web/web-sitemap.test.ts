/** The sitemap. */
import assert from 'node:assert/strict';
import test from 'node:test';
import Fastify from 'fastify';
import type { Database } from '#pg';
import type { App } from '../../src/http/app.ts';
import { registerSitemap } from '../../src/server/pages/sitemap.ts';
import { createEvent, createUser, inDays } from '../support/factories.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp({ env: { PUBLIC_URL: 'http://localhost:3000' } });
const organizer = await createUser(api);
const hour = 3_600_000;

const locationsOf = (xml: string) =>
  [...xml.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, location]) => location);

test('sitemap: 200 with the pages of public events that have not ended', async () => {
  const coming = await createEvent(api, organizer);
  await createEvent(api, organizer, { visibility: 'unlisted' });
  await createEvent(api, organizer, { visibility: 'private' });
  await createEvent(api, organizer, { startAt: inDays(-2), endAt: inDays(-1) });
  const cancelled = await createEvent(api, organizer);
  expectStatus(await api.patch(`/v1/events/${cancelled.id}`, organizer.token, { status: 'cancelled' }), 200);
  const { body, headers } = expectStatus(await api.get('/sitemap.xml'), 200);
  assert.match(headers.get('content-type') ?? '', /^application\/xml/);
  assert.deepEqual(locationsOf(body), [`http://localhost:3000/e/${coming.id}`]);
  assert.match(body, /<lastmod>\d{4}-\d\d-\d\dT[\d:.]+Z<\/lastmod>/);
});

test('sitemap: above the limit of a file, an index of files that have each event once', async () => {
  for (let i = 0; i < 4; i++) await createEvent(api, organizer);
  const app = Fastify() as unknown as App;
  const config = { publicUrl: 'http://localhost:3000' };
  registerSitemap(app, { config, db: api.sql, clock: api.clock.now }, 2);
  const index = (await app.inject('/sitemap.xml')).body;
  const files = locationsOf(index);
  assert.equal(files.length, 3);
  const pages: (string | undefined)[] = [];
  for (const file of files) {
    const { pathname, search } = new URL(file ?? '');
    pages.push(...locationsOf((await app.inject(pathname + search)).body));
  }
  assert.equal(new Set(pages).size, 5);
  assert.equal(pages.length, 5);
  await app.close();
});

test('sitemap: files that do not exist are refused without a statement, and replace none in memory', async () => {
  const app = Fastify() as unknown as App;
  let statements = 0;
  const query: Database['query'] = (statement) => {
    statements++;
    return api.sql.query(statement);
  };
  const db = { query } as unknown as Database;
  registerSitemap(app, { config: { publicUrl: 'http://localhost:3000' }, db, clock: api.clock.now }, 2);
  const get = async (page: number) => (await app.inject(`/sitemap.xml?page=${page}`)).statusCode;
  assert.deepEqual([await get(1), await get(2)], [200, 200]);
  const known = statements;
  // The app of the product makes a 404 of the problem.
  for (let page = 90; page < 110; page++) assert.notEqual(await get(page), 200);
  assert.deepEqual([await get(1), await get(2)], [200, 200]);
  assert.equal(statements, known);
  await app.close();
});

test('sitemap: is computed again after an hour, and 404 for a file that does not exist', async () => {
  const later = await createEvent(api, organizer);
  assert.doesNotMatch(expectStatus(await api.get('/sitemap.xml'), 200).body, new RegExp(later.id));
  api.clock.advance(hour + 1);
  assert.match(expectStatus(await api.get('/sitemap.xml'), 200).body, new RegExp(later.id));
  for (const page of ['9', 'x', '123456']) expectStatus(await api.get(`/sitemap.xml?page=${page}`), 404);
});
