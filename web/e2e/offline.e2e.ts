/** Without a connection. */
import { expect, newEvent, test } from './fixtures.ts';

test('offline: a visited event says "Offline, as of …", and recovers by itself', async ({
  page,
  context,
  createPerson,
}) => {
  const event = await newEvent(await createPerson(), { title: 'Lantern walk' });
  await page.goto(`/e/${event.id}`);
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  // The service worker controls pages from their next load on.
  await page.reload();
  await context.setOffline(true);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Lantern walk');
  await expect(page.getByRole('status').filter({ hasText: 'Offline, as of' })).toBeVisible();
  await page.goto('/people');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('No connection');
  await page.goBack();
  await context.setOffline(false);
  await expect(page.getByText('Offline, as of')).toBeHidden();
});

test('offline: pages that were kept are removed when the person signs out', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const person = await createPerson();
  const event = await newEvent(person);
  await signIn(context, person);
  await page.goto(`/e/${event.id}`);
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await page.reload();
  const keptPages = () =>
    page.evaluate(async () =>
      (await (await caches.open('potluck-pages')).keys()).map(({ url }) => new URL(url).pathname),
    );
  await expect.poll(keptPages).toContain(`/e/${event.id}`);
  await context.clearCookies();
  await page.goto('/people');
  await expect.poll(keptPages).not.toContain(`/e/${event.id}`);
});
