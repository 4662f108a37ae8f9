/** A server with several processes: SERVERS above 1. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openEventStream } from '../support/event-stream-client.ts';
import { eventBody } from '../support/factories.ts';
import { findFreePorts } from '../support/free-ports.ts';
import {
  cleanUpAfterTests,
  createTempDir,
  expectNoPostgres,
  postgresUnder,
  postmasterOf,
  potluck,
  type Server,
  sendRequest,
  serve,
  signIn,
  stop,
} from '../support/processes.ts';
import {
  isRunning,
  killProcess,
  readMetrics,
  until,
  untilReady,
  workersIn,
  workersOf,
} from '../support/workers.ts';

cleanUpAfterTests();

const isLinux = process.platform === 'linux';

const serveWithTwo = async (env: Record<string, string> = {}) =>
  serve({ env: { DATA_DIR: await createTempDir(), SERVERS: '2', ...env } });

async function createEvent(server: Server): Promise<{ token: string; id: string }> {
  const token = await signIn(server);
  const { body } = await sendRequest(server, 'POST', '/v1/events', token, eventBody());
  return { token, id: body.id ?? '' };
}

describe('servers', { concurrency: 2, skip: !isLinux && 'it reads /proc' }, () => {
  test('servers: one process by default, which goes on after SIGHUP', async () => {
    const server = await serve({ env: { DATA_DIR: await createTempDir() } });
    assert.deepEqual(await workersOf(server), []);
    assert.doesNotMatch(await readMetrics(server), /worker="/);
    server.child.kill('SIGHUP');
    await until('a warning', async () => server.output.out.includes('SIGHUP has no effect'));
    assert.equal((await sendRequest(server, 'GET', '/v1/events')).status, 200);
    assert.equal(await stop(server, 'SIGTERM'), 0);
  });

  test('servers: any process has the metrics of all, and one runs the jobs; its successor goes on with them', async () => {
    const server = await serveWithTwo();
    const [first, second] = await workersOf(server);
    assert.ok(first && second);
    const text = await readMetrics(server);
    assert.deepEqual(workersIn(text, 'process_start_time_seconds'), ['1', '2']);
    assert.deepEqual(workersIn(text, 'potluck_job_failures_total'), ['1']);
    const names = [...text.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name);
    assert.equal(names.length, new Set(names).size, 'a metric has two heads');
    for (const pid of [first, second]) await killProcess(pid);
    await until('the successors', async () => (await workersOf(server)).length === 2);
    await until('the jobs', async () => {
      const now = await readMetrics(server).catch(() => '');
      return workersIn(now, 'potluck_job_failures_total').join() === '1';
    });
    assert.equal(await stop(server, 'SIGTERM'), 0);
  });

  test('servers: a person has at most 20 live streams over all processes, and each of them sends what any process writes', async () => {
    const server = await serveWithTwo();
    const { token, id } = await createEvent(server);
    const guest = await signIn(server, '+14155550124');
    const streams = await Promise.all(
      Array.from({ length: 200 }, () => openEventStream(`${server.url}/v1/events/${id}/live`, { token })),
    );
    const open = streams.filter(({ status }) => status === 200);
    assert.ok(streams.every(({ status }) => status === 200 || status === 429));
    // Each process has a half. The system chooses who accepts a connection, so one may get nearly all of them.
    const counts = (await readMetrics(server)).match(/^potluck_live_streams\{.* (\d+)$/gm) ?? [];
    const streamsOf = counts.map((line) => Number(line.split(' ').at(-1)));
    assert.ok(streamsOf.length === 2 && streamsOf.every((count) => count <= 10), counts.join());
    assert.equal(Math.max(...streamsOf), 10);
    assert.equal(
      open.length,
      streamsOf.reduce((sum, count) => sum + count, 0),
    );
    await sendRequest(server, 'POST', `/v1/events/${id}/rsvp`, guest, { status: 'going' });
    await Promise.all(open.map((each) => each.until(({ event }) => event === 'counts')));
    for (const each of streams) each.close();
    assert.equal(await stop(server, 'SIGTERM'), 0);
  });

  test('servers: SIGTERM ends all processes and the database within 10 s', async () => {
    const DATA_DIR = await createTempDir();
    const server = await serveWithTwo({ DATA_DIR });
    await signIn(server);
    const workers = await workersOf(server);
    assert.equal(await stop(server, 'SIGTERM'), 0);
    for (const pid of workers) assert.ok(!(await isRunning(pid)));
    await expectNoPostgres(DATA_DIR);
    assert.equal(server.output.err, '');
  });

  test('servers: after kill -9 of the first process, the workers end, and the next start uses the same database', async () => {
    const DATA_DIR = await createTempDir();
    const server = await serveWithTwo({ DATA_DIR });
    const { id } = await createEvent(server);
    const workers = await workersOf(server);
    const postmaster = await postmasterOf(DATA_DIR);
    // Resolves when no worker holds the output open.
    assert.equal(await stop(server, 'SIGKILL'), 'SIGKILL');
    for (const pid of workers) assert.ok(!(await isRunning(pid)));
    assert.ok((await postgresUnder(DATA_DIR)).includes(postmaster));
    const next = await serveWithTwo({ DATA_DIR, PORT: new URL(server.url).port });
    assert.equal(await postmasterOf(DATA_DIR), postmaster);
    assert.equal((await sendRequest(next, 'GET', `/v1/events/${id}`)).status, 200);
    assert.equal(await stop(next, 'SIGTERM'), 0);
    await expectNoPostgres(DATA_DIR);
  });

  test('servers: a port in use ends the start with one line, before any worker starts', async () => {
    const [PORT = 0] = await findFreePorts(1);
    const server = await serveWithTwo({ PORT: `${PORT}` });
    const other = potluck(['serve'], {
      env: { DATA_DIR: await createTempDir(), SERVERS: '2', PORT: `${PORT}`, DEMO: 'off' },
    });
    assert.equal(await other.ended, 1);
    assert.deepEqual(other.output, { out: '', err: `Port ${PORT} is in use. Set PORT to a free port.\n` });
    await untilReady(server, 2);
    assert.equal(await stop(server, 'SIGTERM'), 0);
  });
});
