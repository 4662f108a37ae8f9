import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../environment.ts';

/** Reads the newest event on every server again and again, so that their caches contain what a failover may lose. */
export function startLatestReader(
  { client, servers }: Environment,
  events: { id: string }[],
): { stop(): Promise<void> } {
  let isOver = false;
  const read = async () => {
    while (!isOver) {
      const newest = events.at(-1);
      if (newest) {
        const path = `/v1/events/${newest.id}`;
        await Promise.all(servers.map((server) => client.send('GET', path, { server }).catch(() => null)));
      }
      await sleep(20);
    }
  };
  const done = read();
  return {
    async stop() {
      isOver = true;
      await done;
    },
  };
}
