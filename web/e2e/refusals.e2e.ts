/** A server that refuses everything, or is away: pages that are open ask a few times, at growing intervals. */
import type { BrowserContext, Route } from '@playwright/test';
import { sendMessage } from '@potluck/client';
import { url } from './environment.ts';
import { expect, newEvent, newItem, test } from './fixtures.ts';

const waitMs = 10_000;
/** Of one address in that time. Without a limit for its attempts, a page sends hundreds. */
const maxRequests = 8;

const refusals: Record<string, (route: Route) => Promise<void>> = {
  ...Object.fromEntries(
    [401, 403, 404, 500].map((status) => [
      String(status),
      (route: Route) => route.fulfill({ status, json: { code: 'refused' } }),
    ]),
  ),
  ...Object.fromEntries(
    [429, 503].map((status) => [
      String(status),
      (route: Route) =>
        route.fulfill({ status, headers: { 'retry-after': '0' }, json: { code: 'unavailable' } }),
    ]),
  ),
  away: (route) => route.abort('connectionrefused'),
};

/** Opens pages that load again by themselves, and answers all requests from then on with `refuse`. */
async function openAndRefuse(
  context: BrowserContext,
  paths: string[],
  refuse: (route: Route) => Promise<void>,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  let isRefused = false;
  // The live stream ends at once, so that the page opens it again.
  await context.route('**/live', (route) =>
    isRefused
      ? route.fallback()
      : route.fulfill({ headers: { 'content-type': 'text/event-stream' }, body: 'retry: 100\n\n' }),
  );
  for (const path of paths) {
    const page = await context.newPage();
    await page.goto(path);
    // The scripts run.
    await page.locator('#svelte-announcer').waitFor({ state: 'attached' });
  }
  await context.route(
    (address) => !address.pathname.startsWith('/_app/'),
    (route) => {
      if (!isRefused) return route.fallback();
      const request = route.request();
      const name = `${request.method()} ${new URL(request.url()).pathname}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
      return refuse(route);
    },
  );
  isRefused = true;
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  return counts;
}

test('refusals: pages that load by themselves, streams and the service worker ask a bounded number of times', async ({
  browser,
  context: own,
  createPerson,
  signIn,
}) => {
  test.setTimeout(180_000);
  const [guest, host] = [await createPerson(), await createPerson()];
  const event = await newEvent(host);
  await newItem(host, event.id);
  await sendMessage({ client: host.client, path: { id: guest.id }, body: { text: 'See you there' } });
  const paths = [`/messages/${host.id}`, `/e/${event.id}`, '/messages'];
  await signIn(own, guest);
  const storageState = await own.storageState();
  const found = await Promise.all(
    Object.entries(refusals).map(async ([name, refuse]) => {
      const context = await browser.newContext({ baseURL: url, storageState });
      const counts = await openAndRefuse(context, paths, refuse);
      await context.close();
      return [...counts].filter(([, count]) => count > maxRequests).map((each) => `${name}: ${each}`);
    }),
  );
  expect(found.flat()).toEqual([]);
});
