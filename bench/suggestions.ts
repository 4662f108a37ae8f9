/**
 * The CPU time of GET /v1/events/suggest for random questions, without HTTP and without a database: the index has the events
 * of the dataset. `node bench/suggestions.ts --events 200000`
 */
import { parseArgs } from 'node:util';
import { findSymbols } from '#record-index';
import { words } from '../src/lib/text.ts';
import { createEventLists } from '../src/modules/discovery/event-lists.ts';
import type { CurrentIndex } from '../src/modules/discovery/memory/current-index.ts';
import { EventIndex } from '../src/modules/discovery/memory/event-index.ts';
import { ChangedVersions, JsonBuilder, type JsonOfDoc } from '../src/modules/discovery/memory/listed-json.ts';
import { SegmentBuilder } from '../src/modules/discovery/memory/segment-builder.ts';
import { createStatementQueue } from '../src/modules/discovery/statement-queue.ts';
import { createEventSuggestions } from '../src/modules/discovery/suggest/event-suggestions.ts';
import type { EventServices } from '../src/modules/events/services.ts';
import { readCities } from '../src/modules/places/cities.ts';
import { type Random, randomOf } from '../test/support/random.ts';
import { eventTable, planEvents } from './seed/events.ts';
import { commonWord } from './seed/vocabulary.ts';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '200000' },
    requests: { type: 'string', default: '2000' },
  },
});

/** The listed events, in the order of the index. */
function* listedEvents() {
  const table = eventTable(planEvents(Number(values.events), new Date()));
  const columns = table.columns.split(', ');
  for (const row of table.rows()) {
    const event = Object.fromEntries(columns.map((name, i) => [name, row[i]]));
    if (event.visibility === 'public' && event.status === 'scheduled') yield event;
  }
}

function buildIndex(): EventIndex {
  const events = [...listedEvents()].sort((a, b) =>
    `${a.start_at} ${a.id}` < `${b.start_at} ${b.id}` ? -1 : 1,
  );
  const builder = new SegmentBuilder(events.length);
  const texts: JsonOfDoc[] = [];
  for (const [doc, event] of events.entries()) {
    const { id, title, description, timezone, address, lat, lng, category, search } = event as Record<
      string,
      string
    >;
    builder.add({
      id: `${id}`,
      start: Date.parse(`${event.start_at}`),
      end: Date.parse(`${event.end_at}`),
      lat: Number(lat),
      lng: Number(lng),
      category: `${category}`,
      traits: 0,
      organizerId: `${event.organizer_id}`,
      seriesId: null,
      firstDay: null,
      endDay: null,
      search: `${search}`,
    });
    const shown = { id, title, description, startAt: event.start_at, timezone, allDay: false };
    const listed = JSON.stringify({ ...shown, location: { address, lat, lng } }).slice(0, -1);
    texts.push({ id: `${id}`, doc, version: 1, text: Buffer.from(listed) });
  }
  const json = new JsonBuilder(events.length, findSymbols(texts.slice(0, 4_000)), 1024 ** 3);
  for (const text of texts) json.add(text);
  return new EventIndex(builder.build(32 * 1024 ** 2), json.data, new ChangedVersions());
}

const index = buildIndex();
const places = readCities();
/** The services that suggestions from the index use. */
const services = {
  clock: () => new Date(),
  people: { blockedBy: async () => [] },
} as unknown as EventServices;
const current = { current: async () => index, loaded: index } as unknown as CurrentIndex;
const statements = createStatementQueue();
const lists = createEventLists(services, current, statements);
const suggest = createEventSuggestions(services, lists, current, statements);

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
  'start of a town': () => startOf(random.pick(places.cities).name, 2),
  'one letter': () => random.pick(letters),
};

const ask = (q: string) =>
  suggest({ q, searched: [...new Set(words(q))], viewer: null, address: '127.0.0.1' });

// The code is compiled.
for (let i = 0; i < 300; i++) for (const question of Object.values(kinds)) await ask(question());

const requests = Number(values.requests);
// The CPU time has the resolution of the kernel's ticks, so it is that of all requests; times of single requests include
// the time in which other processes ran.
console.log('in ms'.padEnd(32), 'CPU', ' p50', ' p99', 'corrected');
for (const [kind, question] of Object.entries(kinds)) {
  const questions = Array.from({ length: requests }, question);
  const times: number[] = [];
  let corrected = 0;
  const before = process.threadCpuUsage();
  for (const q of questions) {
    const since = performance.now();
    const { corrections } = await ask(q);
    times.push(performance.now() - since);
    corrected += Number(corrections.length > 0);
  }
  const { user, system } = process.threadCpuUsage(before);
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(2);
  const cpu = ((user + system) / 1_000 / requests).toFixed(2);
  console.log(kind.padEnd(32), cpu, at(0.5), at(0.99), `${Math.round((corrected / requests) * 100)} %`);
}
