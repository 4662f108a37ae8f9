/** A server that refuses everything, or is away: pages that are open ask a few times, at growing intervals. */
import type { BrowserContext, Route } from '@playwright/test';
import { sendMessage } from '@potluck/client';
import { url } from './environment.ts';
import { expect, newEvent, newItem, test } from './fixtures.ts';

const waitMs = 12_000;
/** To one address in that time. The delays of 1, 2, 4 … seconds permit five. */
const maxRequests = 6;

const answer =
  (status: number, headers: Record<string, string> = {}) =>
  (route: Route) =>
    route.fulfill({ status, headers, json: { code: 'refused' } });

const refusals: Record<string, (route: Route) => Promise<void>> = {
  '401': answer(401),
  '403': answer(403),
  '404': answer(404),
  '429': answer(429),
  '429 with Retry-After: 0': answer(429, { 'retry-after': '0' }),
  '500': answer(500),
  '503 with Retry-After: 1': answer(503, { 'retry-after': '1' }),
  'no connection': (route) => route.abort('connectionrefused'),
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
      : route.fulfill({ headers: { 'content-type': 'text/event-stream' }, body: 'retry: 1000\n\n' }),
  );
  for (const path of paths) {
    const page = await context.newPage();
    await page.goto(path);
    // The scripts run.
    await page.locator('#svelte-announcer').waitFor({ state: 'attached' });
  }
  const isData = ({ pathname }: URL) => !pathname.startsWith('/_app/');
  await context.route(isData, (route) => {
    if (!isRefused) return route.fallback();
    const request = route.request();
    const name = `${request.method()} ${new URL(request.url()).pathname}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    return refuse(route);
  });
  isRefused = true;
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  return counts;
}

test('refusals: pages that load by themselves and live streams ask a bounded number of times', async ({
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

test('refusals: a service worker that cannot store the offline page is not installed again before the next page', async ({
  page,
  context,
}) => {
  let attempts = 0;
  await context.route('**/offline', (route) => {
    attempts++;
    return route.fulfill({ status: 500 });
  });
  await page.goto('/');
  await expect.poll(() => attempts, { timeout: 20_000 }).toBe(1);
  await page.waitForTimeout(5_000);
  expect(attempts).toBe(1);
});
