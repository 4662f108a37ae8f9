/** Without a connection. */
import type { Page } from '@playwright/test';
import { openEvent } from './event-steps.ts';
import { claim, expect, goTo, newEvent, newItem, test } from './fixtures.ts';

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

test('offline: "My events" opens, and other pages list what can be opened', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const person = await createPerson();
  const event = await newEvent(await createPerson(), { title: 'Lantern & walk' });
  await goTo(person, event.id);
  await signIn(context, person);
  await page.goto(`/e/${event.id}`);
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await page.reload();
  await page.goto('/mine');
  await expect.poll(() => keptPages(page)).toContain('/mine');
  await context.setOffline(true);
  await page.reload();
  await expect(page.getByRole('link', { name: 'Lantern & walk' })).toBeVisible();
  await page.goto('/people');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('No connection');
  const logo = page.getByRole('banner').locator('img');
  expect(await logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  await expect(page.getByRole('main').getByRole('link')).toHaveText(['My events', 'Lantern & walk']);
  await page.getByRole('link', { name: 'Lantern & walk' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Lantern & walk');
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
  await expect.poll(() => keptPages(page)).toContain(`/e/${event.id}`);
  await context.clearCookies();
  await page.goto('/people');
  await expect.poll(() => keptPages(page)).toEqual([]);
});

test('offline: after sign-out, nothing that the browser has stored names the person', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const person = await createPerson('Ottilie Quist');
  const event = await newEvent(person);
  await signIn(context, person);
  await page.goto(`/e/${event.id}`);
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await page.goto('/settings/account');
  await expect(page.getByRole('button', { name: 'Your account' })).toBeVisible();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('link', { name: 'Sign in' })).toBeVisible();
  await expect.poll(() => keptPages(page)).toEqual([]);
  const naming = async () => {
    const stored = await storedTexts(page);
    expect(stored.some((text) => text.includes('No connection'))).toBe(true);
    return stored.filter((text) => text.includes(person.name) || text.includes(person.id));
  };
  await expect.poll(naming).toEqual([]);
  await context.setOffline(true);
  await page.goto('/people');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('No connection');
  await expect(page.getByRole('button', { name: 'Your account' })).toHaveCount(0);
});

for (const seesOutage of [true, false]) {
  const browser = seesOutage ? 'a browser without a connection' : 'a server that does not respond';
  test(`offline: with ${browser}, a page that is not kept removes no kept page`, async ({
    page,
    context,
    createPerson,
    signIn,
  }) => {
    if (!seesOutage)
      await page.addInitScript(() => Object.defineProperty(navigator, 'onLine', { get: () => true }));
    const person = await createPerson();
    const event = await newEvent(person, { title: 'Lantern walk' });
    const seenBefore = await newEvent(person);
    const open = async ({ id }: { id: string }) => {
      await page.goto(`/e/${id}`);
      await page.evaluate(async () => void (await navigator.serviceWorker.ready));
      await page.reload();
    };
    await open(seenBefore);
    await signIn(context, person);
    await open(event);
    await expect.poll(() => keptPages(page)).toContain(`/e/${event.id}`);
    await context.setOffline(true);
    // The page of a visitor who was not signed in yet, and pages that are not kept
    for (const path of [`/e/${seenBefore.id}`, '/people', '/mine']) {
      await page.goto(path);
      // The scripts of the page have run.
      await expect(page.locator('#svelte-announcer')).toBeAttached();
    }
    await page.goto(`/e/${event.id}`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Lantern walk');
    await page.goto('/people');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('No connection');
    await context.setOffline(false);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Find people');
  });
}

/** The images of the front page, which a visitor sees after the sign-out, are kept beside the pages. */
const keptPages = (page: Page): Promise<string[]> =>
  page.evaluate(async () =>
    (await (await caches.open('potluck-pages')).keys())
      .map(({ url }) => new URL(url).pathname)
      .filter((path) => path.startsWith('/e/') || path === '/mine'),
  );

/** The texts of all that pages and the service worker have stored. */
const storedTexts = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const texts = [JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage })];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys())
        texts.push(request.url, (await (await cache.match(request))?.text()) ?? '');
    }
    return texts;
  });

test('offline: every button that needs the server is disabled with the reason, and enabled again afterwards', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const host = await createPerson();
  const event = await newEvent(host);
  const [bread] = [await newItem(host, event.id), await newItem(host, event.id, { title: 'Lemonade' })];
  const guest = await createPerson();
  await goTo(guest, event.id);
  await claim(guest, bread.id);
  await signIn(context, guest);
  await openEvent(page, event);
  await page.getByText('Privacy', { exact: true }).click();
  await expect(page.getByText('You bring 1')).toBeVisible();
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const needServer = [
    button("I'm going"),
    button('Maybe'),
    button("Can't go"),
    button('One more: Sourdough bread'),
    button('Give back Sourdough bread'),
    button('Bring Lemonade'),
    button('One more'),
    page.getByRole('group').getByRole('button', { name: 'Save', exact: true }),
    page.getByRole('region', { name: 'Keep and share' }).getByRole('button', { name: 'Save', exact: true }),
    button('Deutsch'),
  ];
  for (const control of needServer) await expect(control).toBeEnabled();
  const sent: string[] = [];
  page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));

  await context.setOffline(true);
  for (const control of needServer) {
    await expect(control).toBeDisabled();
    await expect(control).toHaveAccessibleDescription(/Offline, as of .*You can read/);
    await control.click({ force: true });
  }
  // Enter in a field, and a button that appears now
  await page.getByLabel('Hide me from the guest list').press('Enter');
  const submitters = page.locator('form button:not([type=button])');
  for (const control of await submitters.all()) await expect(control).toBeDisabled();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(event.title);
  expect(sent).toEqual([]);

  await context.setOffline(false);
  for (const control of needServer) {
    await expect(control).toBeEnabled();
    await expect(control).not.toHaveAccessibleDescription(/Offline/);
  }
  await button('Give back Sourdough bread').click();
  await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible();
});

test('offline: a stored event says why nothing can be claimed; a link to another page says that it is not stored', async ({
  page,
  context,
  createPerson,
}) => {
  const host = await createPerson();
  const event = await newEvent(host);
  await newItem(host, event.id);
  await openEvent(page, event);
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await openEvent(page, event);
  await context.setOffline(true);
  await page.reload();
  for (const name of ["I'm going", 'Bring Sourdough bread']) {
    const control = page.getByRole('button', { name, exact: true });
    await expect(control).toBeDisabled();
    await expect(control).toHaveAccessibleDescription(/Offline, as of/);
  }
  await page.getByRole('link', { name: 'People' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('No connection');
  await context.setOffline(false);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Find people');
});
