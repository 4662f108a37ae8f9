/** The form of an event has what its tables declare. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { fieldRows, stepOf } from '../../web/src/lib/event/form/event-fields.ts';
import { createEvent, createUser, signInBrowser } from '../support/factories.ts';
import { startTestApp } from '../support/setup.ts';

const api = await startTestApp({ pages: true });
const organizer = await createUser(api);
const cookie = await signInBrowser(api, organizer.phone);
const { id } = await createEvent(api, organizer);

/** Fields whose controls have another name. */
const controls: Record<string, string> = { modules: 'module' };

test('event form: it has a control for each field; without one, saving the form would empty the field', async () => {
  for (const path of ['/new', `/e/${id}/edit`]) {
    const html = await (await fetch(api.url + path, { headers: { cookie } })).text();
    for (const [name] of fieldRows)
      assert.ok(html.includes(`name="${controls[name] ?? name}"`), `${path} ${name}`);
  }
});

test('event form: an error leads to the step of its field, as the API names it or the form', () => {
  const paths = [
    'title',
    'startAt',
    'startTime',
    'location.lat',
    'address',
    'price',
    'enabledModules',
    'items.3',
  ];
  assert.deepEqual(paths.map(stepOf), ['what', 'what', 'what', 'where', 'where', 'who', 'who', 'who']);
});
