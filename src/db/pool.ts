/**
 * Connections for single statements. Each is a client of its own that never connects twice: the driver's own pool lists
 * its idle connections in an array that grows with every query and is searched with every query; and a connection that
 * is lost while something waits to be sent can never send again, but is tried for ever after, three seconds each time.
 */
import type { Socket } from 'node:net';
import type postgres from 'postgres';
import { idle, lifetime } from './sockets.ts';

type Client = postgres.Sql;
type Member = { client: Client; isTaken: boolean; born: number };
/** Makes a client of one connection. `onSocket` gets its socket, `onLost` is called when it is lost. */
export type OpenClient = (onLost: () => void, onSocket?: (socket: Socket) => void) => Client;

/** @param max connections; they are opened as they are needed */
export function openPool(open: OpenClient, max: number): Client {
  const members: (Member | null)[] = Array.from({ length: max }, () => null);
  let last = 0;

  const join = (place: number): Member => {
    const leave = () => {
      if (members[place] === member) members[place] = null;
    };
    const client = open(leave, (socket) => {
      // Of what is encrypted nothing can be told; then the connections simply take turns.
      socket.on('data', (chunk: Buffer) => {
        if (chunk[chunk.length - 1] === idle) member.isTaken = false;
      });
    });
    const member: Member = { client, isTaken: false, born: performance.now() };
    members[place] = member;
    return member;
  };

  /** One that waits for a question, else a new one, else the next in turn. */
  const pick = (): Client => {
    const free = members.findIndex((member) => member && !member.isTaken);
    const empty = free < 0 ? members.indexOf(null) : -1;
    const place = free >= 0 ? free : empty >= 0 ? empty : (last + 1) % max;
    last = place;
    let member = members[place] ?? join(place);
    if (free >= 0 && performance.now() - member.born > lifetime) {
      void member.client.end({ timeout: 5 });
      member = join(place);
    }
    // A part of a statement takes one too, and gives it back with the next answer there.
    member.isTaken = true;
    return member.client;
  };

  const ask = (...query: Parameters<Client>) => pick()(...query);
  return Object.assign(ask as unknown as Client, {
    unsafe: ((...query: Parameters<Client['unsafe']>) => pick().unsafe(...query)) as Client['unsafe'],
    begin: ((...given: [never]) => pick().begin(...given)) as Client['begin'],
    async end(options?: { timeout?: number }) {
      await Promise.all(members.map((member) => member?.client.end(options)));
    },
  });
}
