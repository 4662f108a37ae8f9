import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventBody } from '../../test/factories.ts';
import type { Server } from '../../test/processes.ts';
import type { Person } from '../environment.ts';
import type { Program } from '../program.ts';

type Tally = { answered: number; turnedAway: number; lost: number };

/**
 * Sends requests one after the other over one connection until it closes. Accepted is a request of which the server has
 * taken a byte, so each that breaks is sorted by what the server did: an end without an error and without a byte of an
 * answer is one that came too late (HTTP lets a server close an idle connection, and a client send it again); an answer
 * that was begun and breaks off is lost, and so is any whose connection is reset after the server was asked to stop
 * with the request under way.
 */
function askUntilClosed(
  server: Server,
  person: Person,
  tally: Tally,
  state: { stopAt: number },
): Promise<void> {
  const body = JSON.stringify(eventBody());
  const head = `POST /v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${person.token}\r\n`;
  const whole = `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  let got = '';
  let sentAt = 0;
  let isWaiting = false;
  const send = () => {
    got = '';
    isWaiting = true;
    sentAt = performance.now();
    socket.write(whole);
  };
  socket.on('connect', send);
  socket.on('error', () => {});
  socket.on('data', (piece) => {
    got += piece;
    const [, length] = /content-length: (\d+)\r\n/i.exec(got) ?? [];
    const end = got.indexOf('\r\n\r\n');
    if (!length || end < 0 || Buffer.byteLength(got.slice(end + 4)) < Number(length)) return;
    if (got.startsWith('HTTP/1.1 201 ')) tally.answered++;
    else tally.lost++;
    isWaiting = false;
    if (!/connection: close/i.test(got)) send();
  });
  socket.on('close', () => {
    // Sent well before the signal, it was accepted; and whatever was begun to be answered was accepted too.
    const wasAccepted = isWaiting && (got !== '' || sentAt < state.stopAt - 20);
    if (wasAccepted) tally.lost++;
    else if (isWaiting) tally.turnedAway++;
    resolve();
  });
  return promise;
}

export const stop: Program = {
  name: 'stop',
  promise: 'SIGTERM under load, 20 times: no accepted request is lost, and the server is gone in 10 s',
  async run({ size, open, progress }) {
    const times = size(20, 1);
    const environment = await open({ servers: 1 });
    const people = await environment.people(32);
    const tally: Tally = { answered: 0, turnedAway: 0, lost: 0 };
    const [slowest, codes] = [[] as number[], new Set<unknown>()];
    for (let round = 0; round < times; round++) {
      progress(`${round} of ${times}`);
      const server = await environment.start();
      const state = { stopAt: Number.POSITIVE_INFINITY };
      const asking = people.map((person) => askUntilClosed(server, person, tally, state));
      await sleep(500 + Math.random() * 500);
      state.stopAt = performance.now();
      server.child.kill('SIGTERM');
      codes.add(await server.ended);
      slowest.push(performance.now() - state.stopAt);
      await Promise.all(asking);
      environment.servers.splice(environment.servers.indexOf(server), 1);
    }
    const [row] = await environment.sql<[{ events: number }]>`select count(*)::int as events from events`;
    const unanswered = row.events - tally.answered;
    return {
      figure:
        `${tally.lost} accepted requests lost of ${tally.answered}, ${unanswered} done but not answered, ` +
        `${tally.turnedAway} connections closed before they were read; gone after ${Math.round(Math.max(...slowest))} ms at most, ` +
        `exit ${[...codes].join(', ')}`,
      ok:
        tally.lost === 0 &&
        unanswered === 0 &&
        Math.max(...slowest) < 10_000 &&
        codes.size === 1 &&
        codes.has(0),
    };
  },
};
