/** Near words while one person has written thousands of words that resemble a mistyped one. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { untilIndexed } from '../support/both-modes.ts';
import { openCountingDatabase } from '../support/counting-database.ts';
import { createEvent, createUser } from '../support/factories.ts';
import { expectStatus, startTestApp, type TestApp } from '../support/setup.ts';

// The only server of this process with an index is the one that loads it after the events are written.
const api = await startTestApp({ env: { DISCOVERY: 'sql' } });
const counting = openCountingDatabase(api.target);
const stranger = await createUser(api);

/** The letters of `sourdouh`, and two more. */
const letters = [...'absourdh'];
const endings = (length: number): string[] =>
  length === 0 ? [''] : endings(length - 1).flatMap((end) => letters.map((letter) => end + letter));
/**
 * They begin as `sourdouh` does, have nearly the same letters, and come before `sourdough` in the order of words. None of
 * them is as near.
 */
const alike = [3, 4, 5]
  .flatMap(endings)
  .filter((end) => !end.endsWith('ouh'))
  .flatMap((end) => [`soura${end}`, `sourb${end}`])
  .slice(0, 11_000);
const wordsOfEvent = 900;
for (let i = 0; i < alike.length; i += wordsOfEvent) {
  const description = alike.slice(i, i + wordsOfEvent).join(' ');
  await createEvent(api, stranger, { title: 'Words', description });
}
for (const organizer of [await createUser(api), await createUser(api)])
  await createEvent(api, organizer, { title: 'Sourdough' });
const memory = await api.startAnother({ env: {} });
await untilIndexed(memory);
const sql = await api.startAnother({ sql: counting.sql });

const correct = async (server: TestApp, q: string): Promise<string[]> => {
  const { body } = expectStatus(await server.get(`/v1/events/suggest?q=${encodeURIComponent(q)}`), 200);
  return body.data.corrections.map((correction: { q: string }) => correction.q);
};

// spec: 4.10 GET /v1/events/suggest: places, categories, events and corrections for one field
test('corrections: a word of two organizers is found although a stranger has written thousands of near words', async () => {
  assert.ok(alike.length > 10_000);
  for (const server of [memory, sql])
    assert.equal((await correct(server, 'sourdouh'))[0], 'sourdough', server.url);
});

// spec: 4.10 GET /v1/events/suggest: places, categories, events and corrections for one field
test('corrections in SQL mode: the near words that the database returns are limited for a request, not for each word', async () => {
  const rowsFor = async (q: string): Promise<number> => {
    const statements = await counting.count(() => correct(sql, q));
    return statements
      .filter(({ text }) => text.includes('tsvector_to_array'))
      .reduce((sum, { rows }) => sum + rows, 0);
  };
  assert.equal(await rowsFor('sourdouh'), 10_000);
  const ten = Array.from({ length: 10 }, (_, i) => `sour${i}${i}yy`).join(' ');
  const rows = await rowsFor(ten);
  assert.ok(rows > 1_000 && rows <= 10_000, `${rows}`);
});
