/** Codes for guests without an account, which anybody may ask for: who notices, and what the answers tell. */
import { setTimeout as sleep } from 'node:timers/promises';
import { MailServer } from '../../test/support/mail-server.ts';
import { runConcurrently } from '../client.ts';
import { compareGuests, type GuestComparison } from '../compare-guests.ts';
import type { Environment } from '../environment.ts';
import { createEvent } from '../factories.ts';
import { phoneOf } from '../phones.ts';
import type { Program, ProgramContext } from '../program.ts';
import { repeatRequests } from '../repeat-requests.ts';
import { openTwilioStub } from '../twilio-stub.ts';
import { createVictims, watchVictims } from '../victims.ts';

/** The networks of the attack, and the messages that each may cause in a day. */
const [networks, perNetwork] = [8, 50];
/** Every p99 up to this limit passes, as in **fairness**: client and server share the cores of the machine. */
const grantedMs = 25;
/** The largest allowed difference between the medians of two kinds of contacts: in ms, or as a part of the spread of the times. */
const [maxDifferenceMs, maxPart] = [1, 1 / 5];
/** The probability that the program fails although no response time depends on the contact, over all comparisons. */
const significance = 0.001;

export const guests: Program = {
  name: 'guests',
  expectation:
    '10,000 contacts of 8 networks ask for guest codes at once, with the limits of production: the p99 of other clients at most ' +
    'doubles or stays below 25 ms, they get their codes, and no more messages are sent than the limits of 8 networks allow. Codes ' +
    'and wrong codes for 10,000 contacts each with an account, with a guest of the event, and of nobody: identical bytes, medians ' +
    'within 1 ms or a fifth of the spread, and the same distribution of response times (Kolmogorov-Smirnov test, significance 0.1 % over all comparisons)',
  async run(context) {
    const flood = await floodWithCodes(context);
    const { startEnvironment, size, progress } = context;
    const environment = await startEnvironment({ servers: 1, env: production });
    const comparisons = await compareGuests(environment, size(10_000, 400), progress);
    const compared = describe(comparisons);
    return { result: `${flood.result}; ${compared.result}`, ok: flood.ok && compared.ok };
  },
};

const production = {
  NODE_ENV: 'production',
  SMS_DRIVER: 'console',
  MAIL_DRIVER: 'console',
  PUBLIC_URL: 'http://127.0.0.1',
  TRUST_PROXY: 'loopback',
  RATE_LIMIT: '0',
  SMS_PER_DAY: '1000000',
  MAIL_PER_HOUR: '10000000',
};

function describe(comparisons: GuestComparison[]) {
  const worst = comparisons.reduce((a, b) => (Math.abs(b.differenceMs) > Math.abs(a.differenceMs) ? b : a));
  const least = comparisons.reduce((a, b) => (b.p < a.p ? b : a));
  const isApart = ({ differenceMs, spreadMs }: GuestComparison) =>
    Math.abs(differenceMs) >= Math.max(maxDifferenceMs, spreadMs * maxPart);
  const distinguishable = comparisons.filter(({ p }) => p < significance / comparisons.length);
  const different = comparisons.reduce((sum, each) => sum + each.different, 0);
  const pairs = comparisons.reduce((sum, each) => sum + each.pairs, 0);
  return {
    result:
      `${pairs} pairs of responses: ${different} differ; medians at most ${Math.abs(worst.differenceMs).toFixed(2)} ms apart ` +
      `(${worst.name}); ${distinguishable.length} of ${comparisons.length} distributions of response times differ ` +
      `(smallest p ${least.p.toPrecision(2)} at distance ${least.distance.toFixed(3)}, ${least.name})`,
    ok: different === 0 && !comparisons.some(isApart) && distinguishable.length === 0,
  };
}

async function floodWithCodes({ startEnvironment, addCleanup, size, progress }: ProgramContext) {
  const [twilio, mailServer] = [await openTwilioStub(), new MailServer()];
  const port = await mailServer.listen();
  addCleanup(async () => {
    twilio.close();
    await mailServer.close();
  });
  const mail = {
    MAIL_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: 'events@example.org',
    MAIL_PER_HOUR: '1000',
  };
  const environment = await startEnvironment({ servers: 1, env: { ...twilio.env, ...mail } });
  const [server] = environment.servers;
  const [organizer] = await environment.people(1);
  if (!server || !organizer) throw new Error('no server and no people');
  const event = await createEvent(environment, organizer);
  const victims = await createVictims(environment, 4);
  const ms = size(20_000, 5_000);
  progress('watching other clients');
  const before = await watchVictims(server, victims, '127.2.0.1', sleep(ms));
  progress('asking for codes');
  const attack = repeatRequests({
    url: server.url,
    localAddresses: Array.from({ length: networks }, (_, i) => `127.3.0.${i + 1}`),
    method: 'POST',
    paths: [`/v1/events/${event}/guest-code`],
    headers: { 'content-type': 'application/json' },
    bodies: Array.from({ length: 10_000 }, (_, i) =>
      Buffer.from(
        JSON.stringify(i % 2 ? { email: `crowd.${i}@example.org` } : { phone: phoneOf(i * 997) }),
      ).toString('base64'),
    ),
    connections: 4,
    ms,
  });
  const during = await watchVictims(server, victims, '127.2.0.11', attack);
  const { statuses } = await attack;
  const sent = twilio.sent.length + mailServer.received.length;
  const elsewhere = await askElsewhere(environment, event);
  const asked = Object.values(statuses).reduce((sum, each) => sum + each, 0);
  const isUsual = during.p99 <= Math.max(2 * before.p99, grantedMs);
  return {
    result:
      `${asked} requests for guest codes ${JSON.stringify(statuses)}: ${sent} messages (at most ${networks * perNetwork}), other ` +
      `clients: p99 ${before.p99.toFixed(1)} ms before, ${during.p99.toFixed(1)} ms during, ${during.failures.length} failures, ` +
      `${elsewhere.sent} of ${elsewhere.asked} codes for other networks`,
    ok:
      isUsual &&
      during.failures.length === 0 &&
      // A message whose response came too late was sent as well.
      sent >= (statuses[202] ?? 0) &&
      sent <= networks * perNetwork &&
      elsewhere.sent === elsewhere.asked,
  };
}

/** Asks for codes from networks that have asked for none. */
async function askElsewhere({ client }: Environment, event: string) {
  const asked = 20;
  const responses = await runConcurrently(asked, 4, (i) =>
    client.send('POST', `/v1/events/${event}/guest-code`, {
      body: i % 2 ? { email: `other.${i}@example.org` } : { phone: phoneOf(i, '+4670') },
      headers: { 'x-forwarded-for': `203.0.${i}.7` },
    }),
  );
  return { asked, sent: responses.filter(({ status }) => status === 202).length };
}
