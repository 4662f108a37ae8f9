/** A page that has come to rest sends nothing, except what it repeats at an interval that has a name here. */
import { getMe, updateMe } from '@potluck/client';
import { url } from './environment.ts';
import { createPages } from './every-page.ts';
import { startFirstServer } from './first-server.ts';
import { expect, newAdmin, type Person, test, withWebGl } from './fixtures.ts';
import { PageVisits, type Sent } from './page-visits.ts';

const restMs = 10_000;

/** What pages send again and again. `everyMs` is the delay of the timer. */
const intervals = [
  { name: 'conversation', request: /^GET \/messages\/[^/]+\/__data\.json$/, everyMs: 4_000 },
  { name: 'conversations', request: /^GET \/messages\/__data\.json$/, everyMs: 4_000 },
  { name: 'place in the waitlist', request: /^GET \/e\/[^/]+\/__data\.json$/, everyMs: 15_000 },
];
/** Timers that send nothing. */
const silentTimers = [
  { name: 'time until the event begins', everyMs: 60_000 },
  { name: 'the live stream is lost if it is silent', everyMs: 45_000 },
];

/** Returns what was sent and has no name, or was sent more often than its interval permits. */
function findFaults(sent: Sent[]): string[] {
  const groups = Map.groupBy(sent, ({ visitor, from, request }) => `${visitor}, ${from}: ${request}`);
  return [...groups]
    .filter(([, requests]) => {
      const interval = intervals.find(({ request }) => request.test(requests[0]?.request ?? ''));
      return requests.length > (interval ? Math.ceil(restMs / interval.everyMs) : 0);
    })
    .map(([name, { length }]) => `${name}, ${length} times`);
}

const isRepeated = (sent: string): boolean => intervals.some(({ request }) => request.test(sent));

/** Asserts that each timer has a name, and that each name has a timer. */
function expectNames(timers: { path: string; delays: number[] }[]): void {
  const named = [...intervals, ...silentTimers].map(({ everyMs }) => everyMs);
  const nameless = timers.filter(({ delays }) => delays.some((ms) => !named.includes(ms)));
  expect.soft(nameless).toEqual([]);
  const found = new Set(timers.flatMap(({ delays }) => delays));
  expect(named.filter((ms) => !found.has(ms))).toEqual([]);
}

const phone = { width: 360, height: 740 };
const screen = { width: 1280, height: 900 };

test.use(withWebGl);

test('pages at rest: no page sends a request for ten seconds, signed out, as a guest, an organizer and an admin', async ({
  browser,
  createPerson,
  signIn,
}) => {
  // 170 pages are opened.
  test.setTimeout(600_000);
  const [organizer, guest, suspended] = [await createPerson(), await createPerson(), await createPerson()];
  const admin = await newAdmin();
  const unnamed = await createPerson();
  const { data: me } = await getMe({ client: unnamed.client });
  await updateMe({ client: unnamed.client, body: { name: me.username } });
  const first = await startFirstServer();
  const visits = new PageVisits();
  try {
    const pages = await createPages({ organizer, guest, admin, suspended });
    pages['/setup'] = [first.address];
    const visit = async (name: string, person: Person | null, viewport = phone) => {
      // Two kinds of visitors have the service worker, which doubles the costs of opening a page.
      const serviceWorkers = ['signed out', 'guest'].includes(name) ? 'allow' : 'block';
      const context = await browser.newContext({ baseURL: url, viewport, serviceWorkers });
      if (person) await signIn(context, person);
      const ownPaths = person === suspended ? ['/suspended'] : person === unnamed ? ['/sign-in/name'] : null;
      await visits.open(name, context, ownPaths ?? Object.values(pages).flat());
    };
    await Promise.all([
      visit('signed out', null),
      visit('guest', guest),
      visit('organizer', organizer, screen),
      visit('admin', admin),
      visit('suspended', suspended),
      visit('without a name', unnamed),
    ]);
    const opened = new Set(visits.tabs.map(({ path }) => path));
    const missed = Object.entries(pages).filter(([, paths]) => !paths.some((path) => opened.has(path)));
    expect(missed).toEqual([]);
    await visits.waitForRest(isRepeated);
    expect.soft(findFaults(await visits.rest(restMs))).toEqual([]);
    expectNames(await visits.listTimers());
  } finally {
    await visits.close();
    await first.stop();
  }
});
