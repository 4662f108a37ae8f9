/** GET /metrics: names by the rules of Prometheus, the table in docs/operating.md, and the values of gauges and counters. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newIdAt } from '#base';
import { ConnectionLostError } from '#pg';
import { readConfig } from '../../src/config/config.ts';
import { clockOffset } from '../../src/http/metrics.ts';
import { measureBacklogs } from '../../src/modules/notifications/delivery/measure-backlogs.ts';
import { buildApp } from '../../src/server/build-app.ts';
import { createEvent, createUser } from '../support/factories.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';
import { connectSql } from '../support/sql-tag.ts';

const api = await startTestApp();

type Metric = { name: string; type: string; help: string; labels: string[] };

async function readMetrics(): Promise<{ text: string; metrics: Metric[] }> {
  const text: string = expectStatus(await api.get('/metrics'), 200).body;
  const metrics = [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\w+)$/gm)].map(
    ([, name = '', help = '', type = '']) => {
      const series = new RegExp(`^${name}(?:_bucket|_sum|_count)?\\{(.*)\\} `, 'gm');
      const labels = [...text.matchAll(series)].flatMap(([, list = '']) =>
        [...list.matchAll(/(\w+)="/g)].map(([, label = '']) => label),
      );
      return { name, type, help, labels: [...new Set(labels)] };
    },
  );
  return { text, metrics };
}

/** The value of a series, for example of `potluck_outage{kind="database"}`; null if there is none. */
function readValue(text: string, series: string): number | null {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? null : Number(line.slice(series.length));
}

/** Of `promtool check metrics`. */
const rules: [string, (metric: Metric) => boolean][] = [
  ['has a help text', ({ help }) => help !== ''],
  ['has a name of lowercase letters, digits and underscores', ({ name }) => /^[a-z][a-z0-9_]*$/.test(name)],
  [
    'ends with _total if it is a counter, and only then',
    ({ name, type }) => name.endsWith('_total') === (type === 'counter'),
  ],
  ['does not end like a series of a histogram', ({ name }) => !/_(count|sum|bucket|info_total)$/.test(name)],
  ['does not repeat its type', ({ name }) => !/_(gauge|counter|histogram|summary)(_|$)/.test(name)],
  [
    'has base units without abbreviations',
    ({ name }) =>
      !/_(ms|milliseconds|minutes|hours|sec|secs|kb|mb|kilobytes|megabytes|percent)(_|$)/.test(name),
  ],
  [
    'has labels in snake case, and le only in histograms',
    ({ labels, type }) =>
      labels.every((label) => /^[a-z][a-z0-9_]*$/.test(label) && (label !== 'le' || type === 'histogram')),
  ],
];

test('metrics: 200 with names, types and labels by the rules of Prometheus', async () => {
  const { metrics } = await readMetrics();
  assert.ok(metrics.length > 40);
  for (const [rule, isKept] of rules)
    assert.deepEqual(
      metrics.filter((metric) => !isKept(metric)).map(({ name }) => name),
      [],
      `a metric ${rule}`,
    );
});

test('metrics: the table in docs/operating.md has every metric, and the page no other', {
  skip: process.platform !== 'linux' && 'some metrics of the process exist on Linux alone',
}, async () => {
  const { metrics } = await readMetrics();
  const names = metrics.map(({ name }) => name).sort();
  const page = await readFile(path.join(import.meta.dirname, '..', '..', 'docs', 'operating.md'), 'utf8');
  const table = page.split('\n').filter((line) => line.startsWith('| `'));
  const inTable = table.flatMap((line) => [
    ...(line.split('|')[1] ?? '').matchAll(/`((?:potluck|nodejs|process)_\w+)`/g),
  ]);
  assert.deepEqual(inTable.map(([, name]) => name).sort(), names);
  const named = [...page.matchAll(/\b(?:potluck|nodejs|process)_\w+/g)].map(([name]) => name);
  const known = names.flatMap((name) => [name, `${name}_count`, `${name}_sum`, `${name}_bucket`]);
  assert.deepEqual(
    named.filter((name) => !known.includes(name)),
    [],
  );
});

test('metrics: versions, and the offset of the clock', async () => {
  clockOffset.set(-1.5);
  const { text } = await readMetrics();
  const { version } = JSON.parse(
    await readFile(path.join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'),
  );
  assert.equal(
    readValue(text, `potluck_build_info{version="${version}",node="${process.versions.node}"}`),
    1,
  );
  assert.equal(readValue(text, 'potluck_clock_offset_seconds'), -1.5);
  clockOffset.set(0);
});

/** Connections to a database that fail while `isLost()`. */
function connectLosing(isLost: () => boolean) {
  const db = connectSql(api.target);
  const losing =
    <A extends unknown[], R>(run: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (isLost()) throw new ConnectionLostError(new Error('connect ECONNREFUSED'));
      return run(...args);
    };
  const query = losing(db.query) as typeof db.query;
  return Object.assign(db, { query, execute: losing(db.execute), checkOut: losing(db.checkOut) });
}

test('metrics: an outage is 1 while it lasts, and all other kinds are 0', async () => {
  const other = await api.startAnother({ sql: connectLosing(() => true) });
  expectStatus(await other.get('/v1/events'), 503);
  const { text } = await readMetrics();
  const kinds = [...text.matchAll(/^potluck_outage\{kind="(.*)"\} (\d)$/gm)].map(([, kind, value]) => [
    kind,
    value,
  ]);
  assert.deepEqual(kinds, [
    ['database', '1'],
    ['database writes', '0'],
    ['image storage', '0'],
    ['clock', '0'],
    ['overload', '0'],
  ]);
});

test('metrics: connections in use, idle connections and waiting transactions of each pool', async (t) => {
  // The newest app of the process is the one in the metrics.
  const other = await api.startAnother();
  expectStatus(await other.get('/v1/events'), 200);
  const connections = await Promise.all(Array.from({ length: 6 }, () => other.sql.checkOut()));
  t.after(() => {
    for (const connection of connections) connection.release();
  });
  const waiting = other.sql.checkOut();
  const of = (pool: string) => `database="primary",pool="${pool}"`;
  const read = async () => {
    const { text } = await readMetrics();
    const state = (pool: string, name: string) =>
      readValue(text, `potluck_database_connections{${of(pool)},state="${name}"}`);
    return {
      used: state('transactions', 'used'),
      idle: state('transactions', 'idle'),
      waiting: readValue(text, `potluck_database_waiting{${of('transactions')}}`),
      statements: (state('statements', 'used') ?? 0) + (state('statements', 'idle') ?? 0),
    };
  };
  const full = await read();
  assert.deepEqual([full.used, full.idle], [6, 0]);
  // The server may wait for a connection too.
  assert.ok(Number(full.waiting) >= 1 && full.statements >= 1);
  for (const connection of connections.splice(0)) connection.release();
  (await waiting).release();
  const free = await read();
  assert.equal(free.waiting, 0);
  assert.ok(Number(free.idle) >= 1);
});

test('metrics: rows and age of the backlog of causes, fan-outs and pushes', async () => {
  const now = new Date();
  const person = await createUser(api);
  const event = await createEvent(api, person);
  const before = new Date(now.getTime() - 90_000);
  const { sql } = api;
  await sql`delete from notification_causes`;
  await sql`delete from notification_fan_outs`;
  for (const at of [before, now])
    await sql`
      insert into notification_causes (user_id, id, kind, subject_id, actor_id, amount)
      values (${person.id}, ${newIdAt(at)}, 'follow', ${person.id}, ${person.id}, 1)`;
  await sql`
    insert into notification_fan_outs (event_id, kind, position, is_repeated)
    values (${event.id}, 'eventMoved', ${event.id}, false)`;
  const read = async () => {
    const { text } = await readMetrics();
    return ['notification_causes', 'notification_fan_outs', 'push_deliveries'].map((queue) => [
      readValue(text, `potluck_backlog{queue="${queue}"}`),
      readValue(text, `potluck_backlog_age_seconds{queue="${queue}"}`),
    ]);
  };
  await measureBacklogs(sql, now);
  assert.deepEqual(await read(), [
    [2, 90],
    [1, 0],
    [0, 0],
  ]);
  await measureBacklogs(sql, new Date(now.getTime() + 30_000));
  assert.deepEqual((await read())[1], [1, 30]);
  await sql`delete from notification_causes`;
  await sql`delete from notification_fan_outs`;
  await measureBacklogs(sql, now);
  assert.deepEqual(await read(), [
    [0, 0],
    [0, 0],
    [0, 0],
  ]);
});

/** The backlog of mails after one was stored an hour ago, as its attempts have left it: rows and age. */
async function measureMail(mail: { attempts: number; dueAt: Date; refusedAt: Date | null }, now: Date) {
  const { sql } = api;
  await sql`
    insert into mails (user_id, id, kind, subject_id, source_id, address, language, state, turn,
      attempts, due_at, created_at, refused_at)
    select id, id, 'test', id, id, 'a@example.net', 'en', 'queued', 0,
      ${mail.attempts}, ${mail.dueAt}, ${new Date(now.getTime() - 3_600_000)}, ${mail.refusedAt}
    from (values (${newIdAt(now)}::uuid)) m (id)`;
  await measureBacklogs(sql, now);
  const { text } = await readMetrics();
  await sql`delete from mails`;
  return ['potluck_backlog', 'potluck_backlog_age_seconds'].map((name) =>
    readValue(text, `${name}{queue="mails"}`),
  );
}

test('metrics: a mail waits from the time at which it is due; while the mail server fails, from the beginning', async () => {
  const now = new Date();
  const [before, later] = [new Date(now.getTime() - 90_000), new Date(now.getTime() + 90_000)];
  assert.deepEqual(await measureMail({ attempts: 0, dueAt: before, refusedAt: null }, now), [1, 90]);
  assert.deepEqual(await measureMail({ attempts: 0, dueAt: later, refusedAt: null }, now), [0, 0]);
  assert.deepEqual(await measureMail({ attempts: 9, dueAt: later, refusedAt: null }, now), [1, 3_600]);
  assert.deepEqual(await measureMail({ attempts: 9, dueAt: later, refusedAt: before }, now), [0, 0]);
});

test('metrics: requests that met a defect', async () => {
  const count = async () => readValue((await readMetrics()).text, 'potluck_defects_total');
  const before = await count();
  const person = await createUser(api);
  await api.sql`alter table audit add constraint nothing check (what <> 'logged_out') not valid`;
  const failing = await api.startAnother({ env: { LOG_LEVEL: 'silent' } });
  assert.equal((await failing.post('/v1/auth/logout', person.token)).status, 500);
  await api.sql`alter table audit drop constraint nothing`;
  assert.equal(await count(), Number(before) + 1);
});

test('metrics: failures of a job by its name; 0 before the first', async (t) => {
  let isLost = false;
  const db = connectLosing(() => isLost);
  const config = readConfig({ LOG_LEVEL: 'silent', DEMO: 'off' });
  const app = await buildApp({ config: { ...config, secretKey: 'unused' }, db, runJobs: true });
  t.after(async () => {
    await app.close();
    await db.end({ timeoutMs: 1_000 });
  });
  await app.ready();
  const failures = async () =>
    readValue((await readMetrics()).text, 'potluck_job_failures_total{name="deliver notifications"}');
  assert.equal(await failures(), 0);
  isLost = true;
  for (let waited = 0; (await failures()) === 0 && waited < 20_000; waited += 100) await sleep(100);
  assert.ok(Number(await failures()) > 0);
});
