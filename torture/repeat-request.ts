/**
 * Sends requests repeatedly over several connections from one address or some, in a separate process, so that the attack
 * does not slow down the measuring one. Arguments: a `RepeatedRequest` as JSON on standard input. It prints a
 * `RepeatedResult` as JSON.
 */
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

export type RepeatedRequest = {
  url: string;
  /** Used in rotation. */
  localAddresses: string[];
  method: string;
  /** Sent in rotation. */
  paths: string[];
  headers: Record<string, string>;
  /** In base64, sent in rotation. */
  bodies?: string[];
  /** From each address. */
  connections: number;
  ms: number;
};

export type RepeatedResult = {
  /** The number of responses by status; 0 stands for a broken connection. */
  statuses: Record<number, number>;
  /** The processor time of this process, as a share of one core. */
  cpuShare: number;
};

const attack: RepeatedRequest = JSON.parse(await text(process.stdin));
const { url, localAddresses, method, paths, headers, connections, ms } = attack;
const bodies = attack.bodies?.map((body) => Buffer.from(body, 'base64'));
const agents = localAddresses.map(
  (localAddress) => new Agent({ keepAlive: true, maxSockets: connections, localAddress }),
);
const statuses: Record<number, number> = {};
const startedAt = performance.now();
const until = startedAt + ms;
const cpuBefore = process.cpuUsage();

let sentRequests = 0;
const send = (agent: Agent) =>
  new Promise<number>((resolve) => {
    const body = bodies?.[sentRequests % bodies.length];
    const length = body && { 'content-length': `${body.length}` };
    const path = paths[sentRequests++ % paths.length];
    const sent = request(`${url}${path}`, { agent, method, headers: { ...headers, ...length } });
    sent.once('error', () => resolve(0));
    sent.once('response', (response) => {
      // A stream of events does not end by itself.
      if (`${response.headers['content-type']}`.startsWith('text/event-stream'))
        response.once('data', () => sent.destroy());
      response.on('error', () => {});
      response.resume();
      response.once('close', () => resolve(response.statusCode ?? 0));
    });
    sent.end(body);
  });

async function sendRepeatedly(agent: Agent): Promise<void> {
  while (performance.now() < until) {
    const status = await send(agent);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
}

await Promise.all(
  agents.flatMap((agent) => Array.from({ length: connections }, () => sendRepeatedly(agent))),
);
for (const agent of agents) agent.destroy();
const { user, system } = process.cpuUsage(cpuBefore);
const cpuShare = (user + system) / 1_000 / (performance.now() - startedAt);
console.log(JSON.stringify({ statuses, cpuShare } satisfies RepeatedResult));
