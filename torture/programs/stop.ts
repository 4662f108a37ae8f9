import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventBody } from '../../test/factories.ts';
import type { Server } from '../../test/processes.ts';
import type { Person } from '../environment.ts';
import type { Program } from '../program.ts';

type Tally = { responses: number; notAccepted: number; lost: number };

/**
 * Sends requests in sequence over one connection until it closes. When the connection closes without a
 * complete response, the last request counts as lost if a part of the response arrived, or if the request was
 * sent well before the signal. Otherwise it counts as not accepted: HTTP lets a server close an idle
 * connection, and the client retries.
 */
function sendUntilClosed(
  server: Server,
  person: Person,
  tally: Tally,
  state: { stopAt: number },
): Promise<void> {
  const body = JSON.stringify(eventBody());
  const head = `POST /v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${person.token}\r\n`;
  const request = `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  let received = '';
  let sentAt = 0;
  let isWaiting = false;
  const send = () => {
    received = '';
    isWaiting = true;
    sentAt = performance.now();
    socket.write(request);
  };
  socket.on('connect', send);
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    received += chunk;
    const [, length] = /content-length: (\d+)\r\n/i.exec(received) ?? [];
    const end = received.indexOf('\r\n\r\n');
    if (!length || end < 0 || Buffer.byteLength(received.slice(end + 4)) < Number(length)) return;
    if (received.startsWith('HTTP/1.1 201 ')) tally.responses++;
    else tally.lost++;
    isWaiting = false;
    if (!/connection: close/i.test(received)) send();
  });
  socket.on('close', () => {
    // A request that was sent 20 ms before the signal, or that has a partial response, was accepted.
    const wasAccepted = isWaiting && (received !== '' || sentAt < state.stopAt - 20);
    if (wasAccepted) tally.lost++;
    else if (isWaiting) tally.notAccepted++;
    resolve();
  });
  return promise;
}

export const stop: Program = {
  name: 'stop',
  expectation: 'SIGTERM under load, 20 times: no accepted request is lost, and the process ends within 10 s',
  async run({ size, startEnvironment, progress }) {
    const times = size(20, 1);
    const environment = await startEnvironment({ servers: 1 });
    const people = await environment.people(32);
    const tally: Tally = { responses: 0, notAccepted: 0, lost: 0 };
    const [slowest, codes] = [[] as number[], new Set<unknown>()];
    for (let round = 0; round < times; round++) {
      progress(`${round} of ${times}`);
      const server = await environment.start();
      const state = { stopAt: Number.POSITIVE_INFINITY };
      const clients = people.map((person) => sendUntilClosed(server, person, tally, state));
      await sleep(500 + Math.random() * 500);
      state.stopAt = performance.now();
      server.child.kill('SIGTERM');
      codes.add(await server.ended);
      slowest.push(performance.now() - state.stopAt);
      await Promise.all(clients);
      environment.servers.splice(environment.servers.indexOf(server), 1);
    }
    const [row] = await environment.sql<[{ events: number }]>`select count(*)::int as events from events`;
    const withoutResponse = row.events - tally.responses;
    return {
      result:
        `${tally.lost} accepted requests lost of ${tally.responses}, ${withoutResponse} writes without a response, ` +
        `${tally.notAccepted} requests not accepted; process ended after ${Math.round(Math.max(...slowest))} ms at most, ` +
        `exit ${[...codes].join(', ')}`,
      ok:
        tally.lost === 0 &&
        withoutResponse === 0 &&
        Math.max(...slowest) < 10_000 &&
        codes.size === 1 &&
        codes.has(0),
    };
  },
};
