/** Without a connection. */
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

test('offline: every button that needs the server is disabled with the reason, and enabled again afterwards', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const host = await createPerson();
  const event = await newEvent(host, { capacity: 5 });
  const [bread] = [await newItem(host, event.id), await newItem(host, event.id, { title: 'Lemonade' })];
  const guest = await createPerson();
  await goTo(guest, event.id);
  await claim(guest, bread.id);
  await signIn(context, guest);
  await openEvent(page, event);
  await page.getByText('Guests and privacy').click();
  await expect(page.getByText('You bring 1')).toBeVisible();
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const needServer = [
    button("I'm going"),
    button('Interested'),
    button("Can't go"),
    button('Change Sourdough bread'),
    button('Give back Sourdough bread'),
    button('Bring Lemonade'),
    button('Book'),
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
  await page.getByLabel('Number of seats').press('Enter');
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
