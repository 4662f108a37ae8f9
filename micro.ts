import { randomOf } from '/tmp/wt/disc/bench/seed/random.ts';
import { openDataset } from '/tmp/wt/disc/bench/seed.ts';
import { EventIndex } from '/tmp/wt/disc/src/modules/discovery/memory/event-index.ts';
import { loadSegment } from '/tmp/wt/disc/src/modules/discovery/memory/load-segment.ts';
import { openSql } from '/tmp/wt/disc/test/sql-tag.ts';

const n = Number(process.argv[2] ?? 200000);
const d = await openDataset(n);
const sql = await openSql(d.target, 'x');
const t0 = performance.now();
const loaded = await loadSegment({ target: d.target, maxBytes: 2e9 }, new AbortController().signal);
console.log('load', Math.round(performance.now() - t0), 'data' in loaded);
if (!('data' in loaded)) {
  console.log(loaded);
  process.exit(1);
}
const t1 = performance.now();
const index = new EventIndex(loaded.data);
console.log(
  'index',
  Math.round(performance.now() - t1),
  'MB',
  index.bytes / 1e6,
  'prefixes',
  loaded.data.frequent.size,
  'postings',
  loaded.data.postingDocs.length,
  'words',
  loaded.data.words.offsets.length,
);
const titles = await sql<
  { title: string; lat: number; lng: number }[]
>`select title, lat, lng from events tablesample bernoulli (5) repeatable (1)`;
const words = (await sql<{ word: string }[]>`select word from ts_stat('select search from events')`).map(
  (r) => r.word,
);
await sql.end();
const r = randomOf(5);
const tw = () => titles[r.below(titles.length)]!.title.toLowerCase().match(/[a-z]+/g)!;
const f = () => r.pick(tw());
const u = () => r.pick(words);
const base = {
  from: Date.now(),
  until: null,
  category: null,
  circle: null,
  words: null,
  isGraded: false,
  hiddenOrganizers: [],
};
const circle = () => {
  const p = r.pick(titles);
  return { lat: p.lat, lng: p.lng, radius: Math.exp(r.next() * Math.log(500)) };
};
const kinds: Record<string, () => any> = {
  'V1 freq rel': () => [
    { ...base, words: [f()], isGraded: true },
    { page: 1, limit: 20 },
  ],
  'V1 freq start': () => [
    { ...base, words: [f()] },
    { page: 1, limit: 20 },
  ],
  'V1 uni rel': () => [
    { ...base, words: [u()], isGraded: true },
    { page: 1 + r.below(5), limit: 20 },
  ],
  'V2 freq': () => [
    { ...base, words: [f(), f()], isGraded: true },
    { page: 1, limit: 20 },
  ],
  'V3 freq': () => [
    { ...base, words: [f().slice(0, 1 + r.below(3))], isGraded: true },
    { page: 1, limit: 20 },
  ],
  V4: () => [
    { ...base, circle: circle() },
    { page: 1, limit: 20 },
  ],
  'V4 50km': () => [
    { ...base, circle: { ...circle(), radius: 50 } },
    { page: 1, limit: 20 },
  ],
  V5: () => [
    { ...base, circle: circle(), words: [f()] },
    { page: 1, limit: 20 },
  ],
  V7: () => [base, { page: 1 + r.below(2000), limit: 20 }],
  globe: () => [
    { ...base, circle: { ...circle(), radius: 19_000 } },
    { page: 1, limit: 20 },
  ],
};
for (const [name, make] of Object.entries(kinds)) {
  const qs = Array.from({ length: 600 }, make);
  for (const q of qs.slice(0, 200)) index.search(q[0], q[1]);
  const c0 = process.cpuUsage();
  let max = 0;
  for (const q of qs.slice(200)) {
    const t = process.cpuUsage();
    index.search(q[0], q[1]);
    const e = process.cpuUsage(t);
    max = Math.max(max, e.user + e.system);
  }
  const c = process.cpuUsage(c0);
  console.log(name.padEnd(16), ((c.user + c.system) / 400).toFixed(0), 'us/query, max', max);
}
await d.close();
