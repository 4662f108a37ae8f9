import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { each } from '../client.ts';
import { count } from '../counts.ts';
import type { Environment } from '../environment.ts';
import { phoneOf } from '../phones.ts';
import type { Program } from '../program.ts';

/** What docs/decisions promise for a day. */
const [mostOfBlock, mostOfCountry] = [100, 1_000];
/** The victim's network, which is paid for each message, and its best block. */
const [area, block] = ['+4670', '+4670000'];
const others = [
  '+1202555',
  '+4915123',
  '+4479111',
  '+3361234',
  '+8190123',
  '+3162345',
  '+5511987',
  '+6141234',
];

export const pumping: Program = {
  name: 'pumping',
  promise:
    '10,000 requests for codes from 2,500 addresses to numbers of one network, with the limits of production: ' +
    'no more messages than the budget, and other countries are served',
  async run({ size, open, progress }) {
    const [requests, each4] = [size(10_000, 1_500), 4];
    const post = await openPost();
    try {
      const environment = await open({ env: { ...production, TWILIO_BASE_URL: post.url } });
      let done = 0;
      const statuses = await each(requests, 64, async (i) => {
        if (++done % 500 === 0) progress(`${done} of ${requests}`);
        // Every other one goes to the one block; the others to a number in any.
        const phone = i % 2 === 0 ? block + digits(i / 2, 4) : phoneOf(spread(i), area);
        return ask(environment, phone, Math.floor(i / each4));
      });
      const [sent, toBlock] = [post.sent.length, post.sent.filter((to) => to.startsWith(block)).length];
      const elsewhere = await each(others.length * 5, 8, (i) =>
        ask(environment, `${others[i % others.length]}${digits(i, 4)}`, 60_000 + i),
      );
      const served = elsewhere.filter((status) => status === 202).length;
      const said = statuses.filter((status) => status === 202).length;
      const blocks = Math.max(...Object.values(count(post.sent.map((to) => to.slice(0, -4)))).map(Number));
      return {
        figure:
          `${requests} requests ${JSON.stringify(count(statuses))}: ${sent} messages to the country of ` +
          `${mostOfCountry} a day, at most ${blocks} to a block of ${mostOfBlock} (${toBlock} to the one that was aimed at); ` +
          `then ${served} of ${elsewhere.length} in ${others.length} other countries were sent theirs`,
        ok:
          sent === said &&
          sent <= mostOfCountry &&
          blocks <= mostOfBlock &&
          served === elsewhere.length &&
          post.sent.length === sent + served,
      };
    } finally {
      post.close();
    }
  },
};

const production = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'http://127.0.0.1',
  TRUST_PROXY: 'loopback',
  SMS_DRIVER: 'twilio',
  TWILIO_ACCOUNT_SID: 'AC00000000000000000000000000000001',
  TWILIO_AUTH_TOKEN: 'the-auth-token',
  TWILIO_FROM: '+12025550199',
};

/** Twilio as far as Potluck knows it: takes every message, and remembers to whom. */
async function openPost(): Promise<{ url: string; sent: string[]; close(): void }> {
  const sent: string[] = [];
  const server = createServer(async (request, response) => {
    sent.push(new URLSearchParams(await text(request)).get('To') ?? '');
    response.writeHead(201, { 'content-type': 'application/json' }).end('{"sid":"SM1","status":"queued"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const digits = (n: number, length: number): string => String(n % 10 ** length).padStart(length, '0');
/** Goes through seven digits with a stride that shares no factor with their number. */
const spread = (i: number): number => (i * 7_919_993) % 10_000_000;

async function ask({ client }: Environment, phone: string, network: number): Promise<number> {
  const address = `10.${network >> 16}.${(network >> 8) & 255}.${network & 255}`;
  const { status } = await client.ask('POST', '/v1/auth/otp/request', {
    body: { phone },
    headers: { 'x-forwarded-for': address },
  });
  return status;
}
