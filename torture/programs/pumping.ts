import { runConcurrently } from '../client.ts';
import { countValues } from '../counts.ts';
import type { Environment } from '../environment.ts';
import { phoneOf } from '../phones.ts';
import type { Program } from '../program.ts';
import { openTwilioStub } from '../twilio-stub.ts';

/** The daily message limits of production, with what the networks of 20 strangers and one more can request above them. */
const [maxPerBlock, maxPerCountry] = [100 + 42, 1_000 + 42];
/** The attacker's network, which earns money for each message, and its main block of numbers. */
const [area, block] = ['+4670', '+4670000'];
const otherBlocks = [
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
  expectation:
    '10,000 code requests from 2,500 addresses to numbers of one network, with the limits of production: ' +
    'the messages stay within the budget, and other countries still get codes',
  async run({ size, startEnvironment, progress }) {
    const [requests, requestsPerAddress] = [size(10_000, 1_500), 4];
    const twilio = await openTwilioStub();
    try {
      const environment = await startEnvironment({ env: twilio.env });
      let done = 0;
      const statuses = await runConcurrently(requests, 64, async (i) => {
        if (++done % 500 === 0) progress(`${done} of ${requests}`);
        // Half of the requests name numbers of one block; the others are spread over all numbers.
        const phone = i % 2 === 0 ? block + digits(i / 2, 4) : phoneOf(spread(i), area);
        return requestCodeFrom(environment, phone, Math.floor(i / requestsPerAddress));
      });
      const [sent, toBlock] = [
        twilio.sent.length,
        twilio.sent.filter(({ to }) => to.startsWith(block)).length,
      ];
      const elsewhere = await runConcurrently(otherBlocks.length * 5, 8, (i) =>
        requestCodeFrom(environment, `${otherBlocks[i % otherBlocks.length]}${digits(i, 4)}`, 60_000 + i),
      );
      const served = elsewhere.filter((status) => status === 202).length;
      const accepted = statuses.filter((status) => status === 202).length;
      const maxToOneBlock = Math.max(
        ...Object.values(countValues(twilio.sent.map(({ to }) => to.slice(0, -4)))).map(Number),
      );
      return {
        result:
          `${requests} requests ${JSON.stringify(countValues(statuses))}: ${sent} messages to the country (limit ` +
          `${maxPerCountry} a day), at most ${maxToOneBlock} to a block (limit ${maxPerBlock}; ${toBlock} to the attacked block); ` +
          `then ${served} of ${elsewhere.length} codes sent to ${otherBlocks.length} other countries`,
        ok:
          sent === accepted &&
          sent <= maxPerCountry &&
          maxToOneBlock <= maxPerBlock &&
          served === elsewhere.length &&
          twilio.sent.length === sent + served,
      };
    } finally {
      twilio.close();
    }
  },
};

const digits = (n: number, length: number): string => String(n % 10 ** length).padStart(length, '0');
/** Visits all seven-digit numbers: the stride has no common factor with 10,000,000. */
const spread = (i: number): number => (i * 7_919_993) % 10_000_000;

async function requestCodeFrom({ client }: Environment, phone: string, network: number): Promise<number> {
  const address = `10.${network >> 16}.${(network >> 8) & 255}.${network & 255}`;
  const { status } = await client.send('POST', '/v1/auth/otp/request', {
    body: { phone },
    headers: { 'x-forwarded-for': address },
  });
  return status;
}
