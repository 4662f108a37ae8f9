/** The bring-list on the page of an event: its order, its bounds, and its search. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Item } from '@potluck/client';
import { countItems, hiddenOf, inOrder, ShownRows } from '../../web/src/lib/event/bring/bring-list.ts';
import { createEvent, createItem, createUser, rsvpGoing } from '../support/factories.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp({ pages: true });
const organizer = await createUser(api);

const newItem = (id: string, fields: Partial<Item> = {}): Item => ({
  id,
  title: id,
  kind: 'bring',
  quantityNeeded: 1,
  quantityClaimed: 0,
  emoji: '🥘',
  imageUrl: null,
  link: null,
  version: '',
  claimsVersion: 0,
  ...fields,
});
const ids = (items: Item[]) => items.map(({ id }) => id).join(' ');
const taken = { quantityClaimed: 1 };
const mine = { ...taken, myClaim: { id: 'claim', quantity: 1 } };

test('bring-list: what is needed is first, then what the visitor brings of what is taken, then the rest of it, then wishes', () => {
  const items = [
    newItem('wish', { kind: 'wish' }),
    newItem('taken', taken),
    newItem('mine', mine),
    newItem('needed'),
    newItem('begun', { ...mine, quantityNeeded: 2 }),
  ];
  assert.equal(ids(inOrder(items)), 'begun needed mine taken wish');
  assert.deepEqual(countItems(items), { bring: { needed: 5, taken: 3 }, wish: { needed: 1, taken: 0 } });
});

test('bring-list: the item of which the largest share is needed is first', () => {
  const items = [
    newItem('most', { quantityNeeded: 4, quantityClaimed: 3 }),
    newItem('some', { quantityNeeded: 6, quantityClaimed: 4 }),
    newItem('none', { quantityNeeded: 2 }),
    newItem('wish', { kind: 'wish', quantityNeeded: 2 }),
  ];
  assert.equal(ids(inOrder(items)), 'none some most wish');
});

test('bring-list: claims of people whom the visitor may not see are counted', () => {
  const claims = [{ name: 'Oskar', avatar: '', quantity: 2 }];
  assert.equal(hiddenOf(newItem('dessert', { quantityClaimed: 3, claims })), 1);
  assert.equal(hiddenOf(newItem('dessert', { quantityClaimed: 1, claims })), 0);
});

test('bring-list: rows keep their places while the list has the same address; new ones follow, and a kept one stays', () => {
  const rows = new ShownRows();
  const [a, b, c] = [newItem('a'), newItem('b'), newItem('c')];
  assert.equal(ids(rows.update('list', [a, b, c], [])), 'a b c');
  assert.equal(ids(rows.update('list', [newItem('d'), c, b, a], [])), 'a b c d');
  // Another page of the list has `b` now; the page shows it as it is.
  const current = newItem('b', taken);
  assert.deepEqual(rows.update('list', [c, a], [current, 'c', 'unknown', null]), [a, current, c]);
  // The row that has the focus stays as it was shown.
  assert.deepEqual(rows.update('list', [a], ['b', undefined]), [a, current]);
  assert.equal(ids(rows.update('list', [c, a], [])), 'a c');
  assert.equal(ids(rows.update('another', [c, a], [current, 'b'])), 'c a');
  // Without scripts, the first page that is shown is the one with the result.
  assert.deepEqual(new ShownRows().update('list', [a], [current]), [a, current]);
});

const open = async (path: string) => (await fetch(api.url + path)).text();
const titlesOf = (html: string) =>
  [...html.matchAll(/<h3 [^>]*><bdi>([^<]*)<\/bdi>/g)].map(([, title]) => title);

test('bring-list: of 500 items a page has 50; search and filter find items of all pages, also by their notes', async () => {
  const event = await createEvent(api, organizer, { claimantVisibility: 'everyone' });
  const path = `/v1/events/${event.id}/items/batch`;
  for (let from = 0; from < 500; from += 100) {
    const items = Array.from({ length: 100 }, (_, i) => ({
      title: `Crème ${from + i}`,
      kind: 'bring',
      quantityNeeded: 1,
    }));
    expectStatus(await api.post(path, organizer.token, { items }), 201);
  }
  const guest = await createUser(api);
  await rsvpGoing(api, guest, event.id);
  const body = { quantity: 1, note: 'With cardamom' };
  expectStatus(await api.post(`/v1/items/${event.id}.1/claim`, guest.token, body), 201);

  const first = await open(`/e/${event.id}`);
  assert.equal(titlesOf(first).length, 50);
  assert.ok(!titlesOf(first).includes('Crème 0') && first.includes('1 of 500 taken care of'));
  assert.deepEqual(titlesOf(await open(`/e/${event.id}?page=10`)).slice(-1), ['Crème 0']);
  assert.deepEqual(titlesOf(await open(`/e/${event.id}?q=CREME+49`)), [
    'Crème 49',
    ...Array.from({ length: 10 }, (_, i) => `Crème ${490 + i}`),
  ]);
  assert.deepEqual(titlesOf(await open(`/e/${event.id}?q=cardamom`)), ['Crème 0']);
  assert.deepEqual(titlesOf(await open(`/e/${event.id}?q=cardamom&show=needed`)), []);
  assert.deepEqual(titlesOf(await open(`/e/${event.id}?show=mine`)), []);
});

test('bring-list: a search finds items whose texts have long runs of combining marks', async () => {
  const event = await createEvent(api, organizer);
  const marks = '\u0301\u0323'.repeat(50);
  await createItem(api, organizer, event.id, { title: `S${marks}oup`, description: marks.repeat(10) });
  await createItem(api, organizer, event.id, { title: 'Salad' });
  assert.deepEqual(titlesOf(await open(`/e/${event.id}?q=soup`)), [`S${marks}oup`]);
  assert.deepEqual(titlesOf(await open(`/e/${event.id}?q=${encodeURIComponent(`so${marks}`)}`)), [
    `S${marks}oup`,
  ]);
  assert.deepEqual(titlesOf(await open(`/e/${event.id}?q=salad`)), ['Salad']);
});
