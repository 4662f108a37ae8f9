/** The filters of lists by what an event has or has not. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { eventTraits, traitNames } from '../operations/event-traits.ts';
import { listOperations } from '../operations/openapi-operations.ts';
import { startBothModes } from '../support/both-modes.ts';
import { createEvent, createUser } from '../support/factories.ts';
import { expectStatus } from '../support/setup.ts';

const api = await startBothModes();
const organizer = await createUser(api);

/** The ids of the events with a word in a list, in a calendar, and their number on a map; all are equal. */
async function read(word: string, filter: string): Promise<string[]> {
  const query = `q=${word}${filter}`;
  const { body: list } = expectStatus(await api.get(`/v1/events?${query}`), 200);
  const ids = list.data.map(({ id }: { id: string }) => id).sort();
  const calendar = expectStatus(await api.get(`/v1/events.ics?${query}`), 200);
  const uids = [...`${calendar.body}`.matchAll(/^UID:([0-9a-f-]{36})/gm)].map(([, id]) => id).sort();
  assert.deepEqual(uids, ids, `the calendar: ${query}`);
  const map = expectStatus(await api.get(`/v1/events/map?bbox=-180,-90,180,90&zoom=0&${query}`), 200);
  assert.deepEqual([list.meta.total, map.body.meta.total], [ids.length, ids.length], `the map: ${query}`);
  return ids;
}

test('traits: each yes-or-no filter of the list is one of the table', async () => {
  const { withQuery } = await listOperations(api, { event: '', item: '', user: '' });
  const { parameters = [] } = withQuery.find(({ path }) => path === '/v1/events') ?? {};
  const flags = parameters.filter(({ schema }) => schema.type === 'boolean');
  assert.deepEqual(
    flags.map(({ name }) => name),
    traitNames,
  );
});

for (const [name, { examples, isOf, isSplit }] of Object.entries(eventTraits)) {
  // spec: 4.9 GET /v1/events: combination of all filters
  test(`list, map and calendar: ${name}=true selects the events that have it, also after a change; false selects all, or the others`, async () => {
    const word = `w${randomUUID().slice(0, 8)}`;
    const created = await Promise.all(
      examples.map((fields) => createEvent(api, organizer, { ...fields, title: `Supper ${word}` })),
    );
    const idsOf = (events: typeof created) => events.map(({ id }) => id).sort();
    const having = created.filter(isOf);
    assert.ok(having.length > 0 && having.length < created.length, 'some of the examples have the trait');
    assert.deepEqual(await read(word, ''), idsOf(created));
    const others = created.filter((event) => !isSplit || !isOf(event));
    assert.deepEqual(await read(word, `&${name}=false`), idsOf(others));
    assert.deepEqual(await read(word, `&${name}=true`), idsOf(having));
    const other = created.find((event) => !isOf(event));
    const gains = examples[created.findIndex(isOf)] ?? {};
    expectStatus(await api.patch(`/v1/events/${other?.id}`, organizer.token, gains), 200);
    assert.ok((await read(word, `&${name}=true`)).includes(`${other?.id}`), 'the event has gained the trait');
  });
}
