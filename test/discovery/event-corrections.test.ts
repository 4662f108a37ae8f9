/** The corrections of GET /v1/events/suggest, compared with the definition of the edit distance over all words of all events. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { often } from '../support/all-cases.ts';
import { untilIndexed } from '../support/both-modes.ts';
import { createEvent, createUser } from '../support/factories.ts';
import { randomOf } from '../support/random.ts';
import { expectStatus, startTestApp, type TestApp } from '../support/setup.ts';

type Correction = { q: string; eventsCount: number };

const { pick, below } = randomOf(20_261_125);
const letters = ['a', 'e', 'k', 'n', 'ö', 'з'];
const randomWord = () => Array.from({ length: 3 + below(5) }, () => pick(letters)).join('');
const vocabulary = Array.from({ length: 60 }, randomWord);
const fold = (text: string) => text.replaceAll('ö', 'o');

const api = await startTestApp();
const organizer = await createUser(api);
const titles = Array.from({ length: 80 }, () =>
  Array.from({ length: 1 + below(3) }, () => pick(vocabulary)).join(' '),
);
for (const title of titles.slice(0, 40)) await createEvent(api, organizer, { title, ...nowhere() });
// The first half is in the segment of this server, the other half in its overlay.
const memory = await api.startAnother({ env: {} });
await untilIndexed(memory);
for (const title of titles.slice(40)) await createEvent(api, organizer, { title, ...nowhere() });
const sql = await api.startAnother({ env: { DISCOVERY: 'sql' } });

/** An address without words of the vocabulary. */
function nowhere() {
  return { location: { address: '1', lat: 0, lng: 0 }, description: '' };
}

function distance(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const swapped = a.length > 1 && a[0] === b[1] && a[1] === b[0] ? distance(a.slice(2), b.slice(2)) + 1 : 99;
  const replaced = distance(a.slice(1), b.slice(1)) + Number(a[0] !== b[0]);
  return Math.min(swapped, replaced, distance(a.slice(1), b) + 1, distance(a, b.slice(1)) + 1);
}

const wordsOfEvents = titles.map((title) => fold(title).split(' '));
const distinct = [...new Set(wordsOfEvents.flat())];
const countOf = (start: string) =>
  wordsOfEvents.filter((words) => words.some((word) => word.startsWith(start))).length;

/** All near words with their counts, in order. */
function expectedFor(word: string): (Correction & { distance: number })[] {
  const max = word.length > 4 ? 2 : word.length > 2 ? 1 : 0;
  return distinct
    .map((q) => ({ q, distance: distance(word, q), eventsCount: countOf(q) }))
    .filter(({ distance }) => distance <= max)
    .sort((a, b) => a.distance - b.distance || b.eventsCount - a.eventsCount || (a.q < b.q ? -1 : 1));
}

async function correct(server: TestApp, q: string): Promise<Correction[]> {
  const path = `/v1/events/suggest?q=${encodeURIComponent(q)}`;
  return expectStatus(await server.get(path), 200).body.data.corrections;
}

const letter = fc.constantFrom(...letters);
/** A word of the vocabulary with up to three edits. */
const typed = fc
  .tuple(
    fc.constantFrom(...vocabulary),
    fc.array(fc.tuple(fc.nat(), letter, fc.constantFrom('insert', 'delete', 'replace', 'swap')), {
      maxLength: 3,
    }),
  )
  .map(([word, edits]) =>
    edits.reduce((text, [n, letter, kind]) => {
      const at = n % (text.length + 1);
      const [start, here, after] = [text.slice(0, at), text.slice(at, at + 1), text.slice(at + 1)];
      if (kind === 'insert') return start + letter + here + after;
      if (kind === 'replace') return start + letter + after;
      return kind === 'delete' ? start + after : start + after.slice(0, 1) + here + after.slice(1);
    }, word),
  )
  .filter((word) => word !== '');

// spec: 4.10 GET /v1/events/suggest: places, categories, events and corrections for one field
test('corrections: the nearest words of all events, with exact counts, as the definition gives them', async () => {
  let corrected = 0;
  await fc.assert(
    fc.asyncProperty(typed, async (q) => {
      const found = await correct(memory, q);
      const word = fold(q);
      if (countOf(word) > 0) return assert.deepEqual(found, [], q);
      const expected = expectedFor(word);
      const plain = expected.map(({ q, eventsCount }) => ({ q, eventsCount }));
      // Of more than nine near words, the less frequent are not counted.
      if (expected.length <= 9) assert.deepEqual(found, plain.slice(0, 3), q);
      else
        for (const each of found)
          assert.ok(
            plain.some((one) => one.q === each.q && one.eventsCount === each.eventsCount),
            q,
          );
      assert.equal(found.length, Math.min(3, expected.length), q);
      corrected += Number(found.length > 0);
      const bySql = await correct(sql, q);
      for (const each of bySql)
        assert.ok(
          plain.some((one) => one.q === each.q && one.eventsCount === each.eventsCount),
          q,
        );
      const start = word.slice(0, Math.floor(word.length / 2));
      const alike = plain.filter((each) => each.q.startsWith(start));
      if (alike.length <= 9) assert.deepEqual(bySql, alike.slice(0, 3), q);
    }),
    { numRuns: often(300, 60), seed: 20_261_125 },
  );
  assert.ok(corrected > often(40, 5), `${corrected}`);
});
