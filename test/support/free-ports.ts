/** Ports for servers of tests that cannot choose a free one themselves. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Returns ports that nothing listens on, each different. */
export async function findFreePorts(count: number): Promise<number[]> {
  const probes = await Promise.all(
    Array.from({ length: count }, async () => {
      const probe = createServer().listen(0, '127.0.0.1');
      await once(probe, 'listening');
      return probe;
    }),
  );
  const ports = probes.map((probe) => (probe.address() as AddressInfo).port);
  for (const probe of probes) probe.close();
  return ports;
}
