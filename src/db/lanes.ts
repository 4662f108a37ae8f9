/**
 * Connections for transactions, one each. The driver's own `reserve` loses callers and connections when a connection
 * breaks at the wrong moment, and might finish on a new connection what was begun on another. A lane is a connection
 * that never connects twice: when it is lost, all that was sent on it fails, and another lane takes its place.
 */
import type postgres from 'postgres';
import { Problem } from '../errors.ts';
import { lifetime } from './sockets.ts';

/** Given back by `release`, or ended when nobody knows what state it is in. */
type Lane = postgres.ReservedSql;
export type Lanes = { take(): Promise<Lane>; end(): Promise<void> };

/** In ms, for a lane to become free: less than any request has. */
const patience = 3_000;
/** Opened at the same time, so that an outage costs few attempts. */
const openedAtOnce = 2;

type Waiter = PromiseWithResolvers<Lane> & { timer: NodeJS.Timeout };

/** @param open a client of one connection that calls back when it is lost */
export function openLanes(open: (onLost: () => void) => postgres.Sql, max: number): Lanes {
  const all = new Set<Lane>();
  const idle: Lane[] = [];
  const waiting: Waiter[] = [];
  let opening = 0;
  let isEnded = false;

  const give = (lane: Lane) => {
    const waiter = waiting.shift();
    if (!waiter) return void idle.push(lane);
    clearTimeout(waiter.timer);
    waiter.resolve(lane);
  };
  const drop = (lane: Lane) => {
    if (!all.delete(lane)) return;
    const place = idle.indexOf(lane);
    if (place >= 0) idle.splice(place, 1);
    grow();
  };
  const refuse = (error: unknown) => {
    for (const { timer, reject } of waiting.splice(0)) {
      clearTimeout(timer);
      reject(error);
    }
  };
  const add = async () => {
    opening++;
    const born = performance.now();
    const client = open(() => drop(lane));
    const close = client.end;
    const lane: Lane = Object.assign(client, {
      release() {
        if (!all.has(lane)) return;
        if (performance.now() - born > lifetime) void lane.end();
        else give(lane);
      },
      async end() {
        drop(lane);
        await close({ timeout: 0 });
      },
    });
    try {
      await lane`select 1`;
      opening--;
      all.add(lane);
      if (isEnded) await lane.end();
      else give(lane);
    } catch (error) {
      opening--;
      void lane.end();
      // Whoever waits would only learn the same, later.
      refuse(error);
    }
    grow();
  };
  const grow = () => {
    const limit = Math.min(openedAtOnce, waiting.length);
    while (!isEnded && opening < limit && all.size + opening < max) void add();
  };

  return {
    take() {
      const lane = idle.pop();
      if (lane) return Promise.resolve(lane);
      if (isEnded) return Promise.reject(new Problem('unavailable'));
      const wait = Promise.withResolvers<Lane>();
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(waiter), 1);
        wait.reject(new Problem('unavailable'));
      }, patience);
      const waiter = { ...wait, timer };
      waiting.push(waiter);
      grow();
      return wait.promise;
    },
    async end() {
      isEnded = true;
      refuse(new Problem('unavailable'));
      await Promise.all([...all].map((lane) => lane.end()));
    },
  };
}
