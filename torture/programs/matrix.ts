import { randomUUID } from 'node:crypto';
import { accessRows, operations } from '../../test/operations/all.ts';
import {
  createPeopleByRole,
  credentialOf,
  expectedStatuses,
  type PeopleByRole,
  type Role,
  requestAs,
  roles,
} from '../../test/operations/request-as.ts';
import { createEvent, createItem, type Person, rsvpGoing } from '../../test/support/factories.ts';
import { type Api, expectStatus } from '../../test/support/setup.ts';
import { openApi } from '../api.ts';
import { runConcurrently } from '../client.ts';
import { comparableRefusal, compareWorldBodies, isPlainRefusal } from '../matrix/bodies.ts';
import { hashTables, waitForNotifications } from '../matrix/table-hashes.ts';
import { publicUrl } from '../matrix/world.ts';
import type { Program } from '../program.ts';

export const matrix: Program = {
  name: 'matrix',
  expectation:
    'every route for every kind of caller, with existing ids of all other resources in every id parameter: 0 wrong ' +
    'statuses, and every refusal equals that for an unknown id; all reads of a fixed world for every kind of viewer: ' +
    '0 bodies that differ from what the viewer may see',
  quick: true,
  async run({ startEnvironment, progress }) {
    // One address for all servers: the name of the cookie depends on it.
    const environment = await startEnvironment({ env: { PUBLIC_URL: publicUrl } });
    const api = await openApi(environment);
    const people = await createPeopleByRole(api);
    const rows = Object.entries(accessRows);
    const wrong: string[] = [];
    let cells = 0;
    await runConcurrently(rows.length, 8, async (i) => {
      const [name, row] = rows[i] ?? [];
      if (!name || !row) return;
      const expected = expectedStatuses(name, row);
      for (const [c, caller] of roles.entries()) {
        const { status, body } = await requestAs(api, people, name, row, caller);
        if (status !== expected[c]) wrong.push(`${name} as ${caller}: ${status}`);
        if (status >= 400 && !isPlainRefusal(body)) wrong.push(`${name} as ${caller}: other fields`);
      }
      cells += roles.length;
      progress(`${cells} cells`);
    });
    const ids = await createResourceIds(api, people);
    await waitForNotifications(environment);
    const before = await hashTables(environment);
    cells += await tryForeignIds(api, people, ids, wrong);
    const after = await hashTables(environment);
    for (const [table, sum] of Object.entries(before))
      if (after[table] !== sum) wrong.push(`${table} changed`);
    progress('bodies');
    const fixed = await startEnvironment({ servers: 1, env: { PUBLIC_URL: publicUrl } });
    const bodies = await compareWorldBodies(await openApi(fixed), wrong);
    return {
      result: `${wrong.length} faults in ${cells.toLocaleString('en')} cells and ${bodies} whole bodies${wrong
        .slice(0, 5)
        .map((line) => `\n    ${line}`)
        .join('')}`,
      ok: wrong.length === 0,
    };
  },
};

type Ids = Record<string, string>;

function present(person: Person | null): Person {
  if (!person) throw new Error('no people were created');
  return person;
}

/** Ids of existing and deleted resources; each key begins with the kind of the resource. */
async function createResourceIds(api: Api, people: PeopleByRole): Promise<Ids> {
  const [organizer, stranger] = [present(people.organizer), present(people.stranger)];
  const event = await createEvent(api, organizer);
  const deletedEvent = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id);
  const deletedItem = await createItem(api, organizer, event.id);
  const draft = await createEvent(api, organizer, { visibility: 'private' });
  const draftItem = await createItem(api, organizer, draft.id);
  await rsvpGoing(api, stranger, event.id);
  const claim = expectStatus(
    await api.post(`/v1/items/${item.id}/claim`, stranger.token, { quantity: 1 }),
    201,
  );
  const booking = expectStatus(
    await api.post(`/v1/events/${event.id}/booking`, stranger.token, { seats: 1 }),
    201,
  );
  const { body: sessions } = expectStatus(await api.get('/v1/auth/sessions', organizer.token), 200);
  expectStatus(await api.delete(`/v1/items/${deletedItem.id}`, organizer.token), 200);
  expectStatus(await api.delete(`/v1/events/${deletedEvent.id}`, organizer.token), 200);
  return {
    'user organizer': organizer.id,
    'user stranger': stranger.id,
    'deleted user': present(people.deleted).id,
    'event public': event.id,
    'event draft': draft.id,
    'deleted event': deletedEvent.id,
    'item public': item.id,
    'item draft': draftItem.id,
    'deleted item': deletedItem.id,
    // An item id is an event id and a number: the number with other events and with ids that are no events.
    'item of another event': `${draft.id}.9`,
    'item of a person': `${organizer.id}.1`,
    'item of a claim': `${claim.body.id}.1`,
    claim: claim.body.id,
    booking: booking.body.id,
    'session of the organizer': sessions.data[0].id,
    nothing: randomUUID(),
  };
}

/** Sends ids of other kinds of resources: each authorized caller gets a 404. @returns the number of cells */
async function tryForeignIds(api: Api, people: PeopleByRole, ids: Ids, wrong: string[]): Promise<number> {
  const routes = Object.entries(operations).filter(([route]) => route.includes('{id}'));
  const refusals = new Map<string, string>();
  let cells = 0;
  for (const [route, { example }] of routes) {
    const kind = /\/(user|event|item|session)s\//.exec(route)?.[1] ?? '';
    for (const [name, id] of Object.entries(ids)) {
      const isValidHere =
        name.startsWith(`${kind} public`) ||
        name.startsWith(`${kind} draft`) ||
        (/^user (organizer|stranger)$/.test(name) && kind === 'user');
      if (isValidHere) continue;
      await runConcurrently(roles.length, roles.length, async (c) => {
        const caller = roles[c] as Role;
        if (name === 'session of the organizer' && caller === 'organizer' && kind === 'session') return;
        const [method = '', path = ''] = route.replace('{id}', id).split(' ');
        const call = { headers: credentialOf(people, caller), body: example?.() };
        const { status, body } = await api.call(method, path, call);
        cells++;
        const expected = expectedFor(route, caller, id);
        const cell = `${route} as ${caller}`;
        const refusal = status >= 400 ? comparableRefusal(body) : '';
        // A refusal that differs between existing and unknown ids reveals which ids exist.
        if ((refusals.get(cell) ?? refusal) !== refusal) wrong.push(`${cell} with ${name}: another refusal`);
        if (!route.endsWith('.svg')) refusals.set(cell, refusal);
        if (status !== expected) wrong.push(`${route} with ${name} as ${caller}: ${status}, not ${expected}`);
      });
    }
  }
  return cells;
}

function expectedFor(route: string, caller: Role, id: string): number {
  // Placeholder images are generated from the id alone and reveal nothing about the resource.
  if (route.endsWith('.svg')) return id.includes('.') ? 404 : 200;
  // The route ignores tokens.
  if (operations[route]?.access === 'public') return 404;
  const isOptional = operations[route]?.access === 'optional';
  if (caller === 'cookie of another site')
    return route.startsWith('GET ') ? expectedFor(route, 'anonymous', id) : 403;
  if (caller === 'bad token' || caller === 'deleted') return 401;
  if (route.includes('/v1/admin/') && caller !== 'admin') return caller === 'anonymous' ? 401 : 403;
  return caller === 'anonymous' && !isOptional ? 401 : 404;
}
