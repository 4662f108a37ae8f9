/** Compares whole bodies: reads of the world with what each viewer may see, and refusals with each other. */
import type { Api, ApiResponse } from '../../test/support/setup.ts';
import { someText, someTime, type View } from './view.ts';
import { viewsOf } from './views.ts';
import { createWorld, type Viewer, viewers, type World } from './world.ts';

/** @returns the paths at which the values differ */
export function differences(expected: unknown, found: unknown, path = ''): string[] {
  if (expected === someTime) return isTime(found) ? [] : [path];
  if (expected === someText) return typeof found === 'string' && found !== '' ? [] : [path];
  if (typeof expected !== 'object' || expected === null || typeof found !== 'object' || found === null)
    return expected === found ? [] : [path || 'body'];
  if (Array.isArray(expected) !== Array.isArray(found)) return [path];
  const names = new Set([...Object.keys(expected), ...Object.keys(found)]);
  return [...names].flatMap((name) =>
    differences(
      (expected as Record<string, unknown>)[name],
      (found as Record<string, unknown>)[name],
      `${path}.${name}`,
    ),
  );
}

const isTime = (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);

/** The body of a refusal without the id that every request has. Refusals contain nothing of a resource. */
export function comparableRefusal(body: Record<string, unknown>): string {
  const { requestId, ...rest } = body;
  return JSON.stringify(rest);
}

/** @returns whether a refusal has the fields of a problem and no others */
export const isPlainRefusal = (body: Record<string, unknown>): boolean =>
  Object.keys(body)
    .filter((name) => name !== 'errors')
    .sort()
    .join() === refusalFields.join();

const refusalFields = ['code', 'detail', 'requestId', 'status', 'title', 'type'];

async function findWrongView(api: Api, view: View, viewer: Viewer, token: string | undefined) {
  const expected = view.expected(viewer);
  const { status, body } = await api.get(view.path, token);
  if (status !== expected.status) return [`${status}, not ${expected.status}`];
  if ('body' in expected) {
    const wrong = differences(expected.body, body);
    return wrong.length > 0 ? [`other values at ${wrong.slice(0, 4).join(', ')}`] : [];
  }
  const wrong: string[] = [];
  if (body.code !== expected.code) wrong.push(`${body.code}, not ${expected.code}`);
  if (!isPlainRefusal(body)) wrong.push('a refusal with other fields');
  if (status === 404 && view.missing && expected.code.match(/^(event|item)_/)) {
    const missing = await api.get(view.missing, token);
    if (comparableRefusal(missing.body) !== comparableRefusal(body))
      wrong.push('differs from the refusal for an unknown id');
  }
  return wrong;
}

/**
 * Texts that the viewer may not read: contact data of others, messages between others, drafts of others, and what organizers and
 * guests write to each other.
 */
function findForeignSecrets(world: World, viewer: Viewer, text: string): string[] {
  const { people, messages } = world;
  const secrets = Object.entries(people)
    .filter(([name]) => name !== viewer)
    .flatMap(([, { phone, city, refreshToken }]) => [phone, city, refreshToken])
    .concat(
      messages.filter(({ from, to }) => from !== viewer && to !== viewer).map(({ text: sent }) => sent),
      ['olga', 'admin', 'hermit'].includes(viewer) ? [] : ['Secret cake', 'Quill draft', 'Quill invites you'],
      ['olga', 'admin', 'guest'].includes(viewer) ? [] : ['Quill doors at six'],
      ['olga', 'admin', 'guest', 'stranger'].includes(viewer) ? [] : ['Quill comes by train'],
      ['stranger', 'admin', 'hermit'].includes(viewer) ? [] : ['Quill asks'],
    );
  return secrets.filter((secret) => text.includes(secret));
}

/** Bodies that the views do not predict, because they are long or no JSON. */
const unpredicted = ({ events }: World): string[] => [
  '/v1/me/export',
  '/v1/events.ics',
  `/v1/events/${events.open.id}/calendar.ics`,
  `/v1/events/${events.draft.id}/calendar.ics`,
  `/v1/events/${events.open.id}/live?once=true`,
  `/v1/events/${events.draft.id}/live?once=true`,
  `/v1/events/${events.draft.id}/cover.svg`,
  `/v1/events/${events.open.id}/guests.csv`,
  '/v1/notifications',
];

/** @returns the number of compared bodies; adds the wrong ones to `wrong` */
export async function compareWorldBodies(api: Api, wrong: string[]): Promise<number> {
  const world = await createWorld(api);
  let cells = 0;
  for (const viewer of viewers) {
    const token = viewer === 'anonymous' ? undefined : world.people[viewer].token;
    for (const view of viewsOf(world)) {
      cells++;
      for (const fault of await findWrongView(api, view, viewer, token))
        wrong.push(`GET ${view.path} as ${viewer}: ${fault}`);
    }
    for (const path of unpredicted(world)) {
      cells++;
      const { status, body }: ApiResponse = await api.get(path, token);
      const found = findForeignSecrets(world, viewer, JSON.stringify(body));
      if (found.length > 0) wrong.push(`GET ${path} as ${viewer}: ${status} contains ${found.join(', ')}`);
    }
  }
  return cells;
}
