import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventBody } from '../../test/support/factories.ts';
import { type Server, signInBrowser } from '../../test/support/processes.ts';
import type { Environment, Person } from '../environment.ts';
import type { Program } from '../program.ts';

/** `lost`: the status lines instead of which a response was due, or what was sent without one. */
type Tally = { responses: number; created: number; notAccepted: number; lost: string[] };
/** `at`: the time of the signal. `sent` resolves then. */
type Stop = { at: number; sent: Promise<void> };
/** `delayMs`: how long after the signal the second request follows; default: requests follow each other. */
type Sender = { request: string; status: number; delayMs?: number };

/** In ms: the server keeps idle connections open at least so long, and a little longer. */
const graceMs = 400;

/**
 * Sends requests in sequence over one connection until it closes. When the connection closes without a
 * complete response, the last request counts as lost if a part of the response arrived, if the request was
 * sent well before the signal, or if it was sent on a connection in use while the server leaves these open. Otherwise it
 * counts as not accepted: HTTP lets a server close an idle connection, and the client retries.
 */
function sendUntilClosed(server: Server, sender: Sender, tally: Tally, stop: Stop): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  let received = '';
  let sentAt = 0;
  let isWaiting = false;
  let isUsed = false;
  const send = () => {
    received = '';
    isWaiting = true;
    sentAt = performance.now();
    socket.write(sender.request);
  };
  const sendNext = async () => {
    isUsed = true;
    if (sender.delayMs !== undefined) await stop.sent.then(() => sleep(sender.delayMs));
    if (socket.writable) send();
  };
  socket.on('connect', send);
  socket.on('error', () => {});
  // Each byte is a character.
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk;
    const [, length] = /content-length: (\d+)\r\n/i.exec(received) ?? [];
    const end = received.indexOf('\r\n\r\n');
    if (!length || end < 0 || received.length - end - 4 < Number(length)) return;
    if (received.startsWith(`HTTP/1.1 ${sender.status} `)) {
      tally.responses++;
      if (sender.status === 201) tally.created++;
    } else tally.lost.push(received.split('\r\n', 1)[0] ?? '');
    isWaiting = false;
    if (!/connection: close/i.test(received)) void sendNext();
  });
  socket.on('close', () => {
    // A request that was sent 20 ms before the signal was accepted.
    const wasAccepted = received !== '' || sentAt < stop.at + (isUsed ? graceMs : -20);
    if (isWaiting && wasAccepted)
      tally.lost.push(`${received.length} bytes after ${Math.round(sentAt - stop.at)} ms`);
    else if (isWaiting) tally.notAccepted++;
    resolve();
  });
  return promise;
}

function createEvent({ token }: Person): Sender {
  const body = JSON.stringify(eventBody());
  const head = `POST /v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n`;
  const type = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}`;
  return { request: `${head}${type}\r\n\r\n${body}`, status: 201 };
}

const openPage = (path: string, headers = ''): Sender => ({
  request: `GET ${path} HTTP/1.1\r\nhost: x\r\naccept: text/html\r\n${headers}\r\n`,
  status: 200,
});

/** Clients that create events or open pages, with and without a session, and some that send when it is nearly too late. */
function createSenders(people: Person[], paths: string[], cookie: string): Sender[] {
  const pages = paths.flatMap((path) => [openPage(path), openPage(path, `cookie: ${cookie}\r\n`)]);
  const steady = [...people.slice(0, 24).map(createEvent), ...pages, ...pages];
  const late = [...people.slice(24).map(createEvent), ...pages];
  return [...steady, ...late.map((sender) => ({ ...sender, delayMs: Math.random() * 700 }))];
}

async function runRound(environment: Environment, people: Person[], session: Session, tally: Tally) {
  const server = await environment.start();
  const signal = Promise.withResolvers<void>();
  const stop: Stop = { at: Number.POSITIVE_INFINITY, sent: signal.promise };
  // The name of the cookie has the port.
  const cookie = session.cookie.replace(/^potluck-\d+/, `potluck-${new URL(server.url).port}`);
  const senders = createSenders(people, session.paths, cookie);
  const clients = senders.map((sender) => sendUntilClosed(server, sender, tally, stop));
  await sleep(500 + Math.random() * 500);
  stop.at = performance.now();
  server.child.kill('SIGTERM');
  signal.resolve();
  const code = await server.ended;
  const ms = performance.now() - stop.at;
  await Promise.all(clients);
  environment.servers.splice(environment.servers.indexOf(server), 1);
  return { code, ms, errors: server.output.err };
}

/** `paths`: of pages. */
type Session = { cookie: string; paths: string[] };

async function openSession({ client, servers }: Environment, { token }: Person): Promise<Session> {
  const [server] = servers;
  if (!server) throw new Error('no server is running');
  const { body } = await client.send('POST', '/v1/events', { token, body: eventBody() });
  return { cookie: await signInBrowser(server), paths: ['/', `/e/${body.id}`] };
}

export const stop: Program = {
  name: 'stop',
  expectation:
    'SIGTERM under load of writes and pages, 20 times, with clients that send at the last moment: no accepted request is lost, and the process ends within 10 s',
  async run({ size, startEnvironment, progress }) {
    const times = size(20, 1);
    const environment = await startEnvironment({ servers: 1 });
    const people = await environment.people(32);
    const [first] = people;
    if (!first) throw new Error('there are no people');
    const session = await openSession(environment, first);
    const tally: Tally = { responses: 0, created: 0, notAccepted: 0, lost: [] };
    const [slowest, codes, errors] = [[] as number[], new Set<unknown>(), new Set<string>()];
    for (let round = 0; round < times; round++) {
      progress(`${round} of ${times}`);
      const outcome = await runRound(environment, people, session, tally);
      codes.add(outcome.code);
      slowest.push(outcome.ms);
      if (outcome.errors) errors.add(outcome.errors);
    }
    const [row] = await environment.sql<[{ events: number }]>`select count(*)::int as events from events`;
    // One was created before.
    const withoutResponse = row.events - 1 - tally.created;
    return {
      result:
        `${tally.lost.length} accepted requests lost of ${tally.responses}, ${withoutResponse} writes without a response, ` +
        `${tally.notAccepted} requests not accepted; process ended after ${Math.round(Math.max(...slowest))} ms at most, ` +
        `exit ${[...codes].join(', ')} ${[...new Set([...tally.lost, ...errors])].join('; ').slice(0, 500)}`.trimEnd(),
      ok:
        tally.lost.length === 0 &&
        withoutResponse === 0 &&
        errors.size === 0 &&
        Math.max(...slowest) < 10_000 &&
        codes.size === 1 &&
        codes.has(0),
    };
  },
};
