/** The limits on the items of one event: 500 items and 1 MiB of text, with concurrent writes on two servers too. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { often } from '../support/all-cases.ts';
import { createEvent, createItem, createUser } from '../support/factories.ts';
import {
  type ApiResponse,
  expectProblem,
  expectStatus,
  startTestApp,
  type TestApp,
} from '../support/setup.ts';

const api = await startTestApp();
const servers = [api, await api.startAnother()] as const;
const server = (i: number): TestApp => servers[i % 2 === 0 ? 0 : 1];
const organizer = await createUser(api);
const maxBytes = 1024 ** 2;

const itemBody = (overrides: Record<string, unknown> = {}) => ({
  title: 'Plates',
  kind: 'bring',
  quantityNeeded: 3,
  emoji: 'x',
  ...overrides,
});
const add = (on: TestApp, event: string, overrides: Record<string, unknown> = {}) =>
  on.post(`/v1/events/${event}/items`, organizer.token, itemBody(overrides));
const addBatch = (on: TestApp, event: string, count: number, overrides: Record<string, unknown> = {}) =>
  on.post(`/v1/events/${event}/items/batch`, organizer.token, {
    items: Array(count).fill(itemBody(overrides)),
  });
const change = (on: TestApp, item: string, fields: unknown) =>
  on.patch(`/v1/items/${item}`, organizer.token, fields);
const list = async (event: string) => expectStatus(await api.get(`/v1/events/${event}/items`), 200).body.data;

/** Creates an event, and items by SQL that have `bytes` bytes of text in total. */
async function createFullEvent(items: number, bytes = items * 2): Promise<string> {
  const { id } = await createEvent(api, organizer);
  await api.sql`
    insert into items (event_id, n, kind, title, description, emoji, created_at)
    select ${id}, n, 'bring', 'x', repeat('y', ${bytes}::int / ${items}::int - 2 +
      case when n <= ${bytes}::int % ${items}::int then 1 else 0 end), 'x', now()
    from generate_series(1, ${items}::int) n`;
  await api.sql`
    insert into item_stock (event_id, n, needed, claimed) select ${id}, n, 5, 0 from generate_series(1, ${items}::int) n`;
  await api.sql`update event_counters set last_item = ${items} where event_id = ${id}`;
  return id;
}

async function readSize(event: string): Promise<{ items: number; bytes: number }> {
  const [row] = await api.sql<[{ items: number; bytes: number }]>`
    select count(*)::int as items, sum(octet_length(concat(title, description, emoji, image_url, link)))::int as bytes
    from items where event_id = ${event}`;
  return row;
}
const countStatuses = (responses: ApiResponse[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(responses, ({ status }) => status)).map(([k, v]) => [k, v?.length]),
  );

test('items: 409 for the 501st item of an event; 201 after an item is removed', async () => {
  const event = await createFullEvent(499);
  expectStatus(await add(api, event), 201);
  const { body } = expectProblem(await add(api, event), 409, 'item_list_full');
  assert.match(body.detail, /501 items; 500/);
  assert.equal((await list(event)).length, 500);
  expectStatus(await api.delete(`/v1/items/${event}.7`, organizer.token), 200);
  expectStatus(await add(api, event), 201);
  expectProblem(await add(api, event), 409, 'item_list_full');
});

test('texts: 409 for a new item and for a change above 1 MiB in total; 200 and 201 up to exactly 1 MiB', async () => {
  const event = await createFullEvent(400, maxBytes - 100);
  const title = 'é'.repeat(49);
  const { body } = expectProblem(await add(api, event, { title: `${title}ab` }), 409, 'item_list_full');
  assert.match(body.detail, new RegExp(`${maxBytes + 1} bytes`));
  const { id } = expectStatus(await add(api, event, { title: `${title}a` }), 201).body;
  assert.deepEqual(await readSize(event), { items: 401, bytes: maxBytes });
  expectProblem(await change(api, id, { description: 'a' }), 409, 'item_list_full');
  expectProblem(await change(api, id, { link: 'https://example.org' }), 409, 'item_list_full');
  expectStatus(await change(api, id, { title, description: 'a', quantityNeeded: 9 }), 200);
  assert.deepEqual(await readSize(event), { items: 401, bytes: maxBytes });
});

test('batch: 409 above 500 items or 1 MiB in total, and none is added; 201 up to exactly that', async () => {
  const almostFull = await createFullEvent(490);
  const { body } = expectProblem(await addBatch(api, almostFull, 11), 409, 'item_list_full');
  assert.match(body.detail, /501 items; 500/);
  assert.equal((await list(almostFull)).length, 490);
  expectStatus(await addBatch(api, almostFull, 10), 201);
  expectProblem(await addBatch(api, almostFull, 1), 409, 'item_list_full');
  const heavy = await createFullEvent(300, maxBytes - 500);
  const title = 'y'.repeat(99);
  expectProblem(await addBatch(api, heavy, 6, { title }), 409, 'item_list_full');
  assert.deepEqual(await readSize(heavy), { items: 300, bytes: maxBytes - 500 });
  expectStatus(await addBatch(api, heavy, 5, { title }), 201);
  assert.deepEqual(await readSize(heavy), { items: 305, bytes: maxBytes });
});

test('existing: a list above the limits can be read, changed and shortened, but cannot grow', async () => {
  const event = await createFullEvent(700, 2 * maxBytes);
  assert.equal((await list(event)).length, 700);
  expectProblem(await add(api, event), 409, 'item_list_full');
  const item = `${event}.1`;
  expectStatus(await change(api, item, { title: 'z', quantityNeeded: 7 }), 200);
  expectProblem(await change(api, item, { title: 'longer' }), 409, 'item_list_full');
  expectStatus(await change(api, item, { title: 'longer', description: 'shorter' }), 200);
  expectStatus(await change(api, item, { description: null }), 200);
});

test('race: of 40 concurrent new items on two servers exactly the 10 that fit get 201, the others 409', async () => {
  for (let round = 0; round < often(3); round++) {
    const event = await createFullEvent(490);
    const responses = await Promise.all(Array.from({ length: 40 }, (_, i) => add(server(i), event)));
    assert.deepEqual(countStatuses(responses), { 201: 10, 409: 30 });
    assert.equal((await readSize(event)).items, 500);
  }
});

test('race: concurrent batches of 30 and single items on two servers never exceed 500 items; each batch is added whole or not at all', async () => {
  for (let round = 0; round < often(3); round++) {
    const event = await createFullEvent(400);
    const [batches, singles] = await Promise.all([
      Promise.all(
        Array.from({ length: 12 }, (_, i) => addBatch(server(i), event, 30, { title: `batch ${i}` })),
      ),
      Promise.all(Array.from({ length: 20 }, (_, i) => add(server(i), event, { title: 'single' }))),
    ]);
    const titles = (await list(event)).map((item: { title: string }) => item.title);
    assert.ok(titles.length <= 500, `${titles.length}`);
    // A refused batch of 30 leaves less room than 30, which the single items may have used since.
    assert.ok(titles.length > 470, `${titles.length}`);
    for (const [i, { status }] of batches.entries()) {
      const added = titles.filter((title: string) => title === `batch ${i}`).length;
      assert.deepEqual([status, added], status === 201 ? [201, 30] : [409, 0]);
    }
    const { 201: added = 0 } = countStatuses(singles);
    assert.equal(titles.filter((title: string) => title === 'single').length, added);
  }
});

test('race: concurrent new items and longer texts on two servers never exceed 1 MiB', async () => {
  for (let round = 0; round < often(3); round++) {
    const event = await createFullEvent(300, maxBytes - 20_000);
    const items = await Promise.all(Array.from({ length: 20 }, () => createItem(api, organizer, event)));
    const { bytes: before } = await readSize(event);
    const description = 'd'.repeat(1_000);
    const responses = await Promise.all(
      items.flatMap(({ id }, i) => [
        change(server(i), id, { description }),
        add(server(i + 1), event, { description }),
      ]),
    );
    const { bytes } = await readSize(event);
    assert.ok(bytes <= maxBytes, `${bytes - maxBytes} bytes above the limit`);
    // The free space is used up to less than one text.
    assert.ok(bytes > maxBytes - 1_010, `${maxBytes - bytes} of ${maxBytes - before} bytes are free`);
    for (const response of responses)
      if (response.status > 201) expectProblem(response, 409, 'item_list_full');
  }
});
