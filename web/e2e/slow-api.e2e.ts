/** A slow or busy server: what is pressed is busy at once, is sent once, and succeeds a little later. */
import type { Locator, Page } from '@playwright/test';
import { getEvent, updateEvent } from '@potluck/client';
import { openEvent } from './event-steps.ts';
import { expect, newEvent, newItem, test } from './fixtures.ts';

const delayMs = 3_000;

/** Delays the forms of a page. @returns the addresses of the requests */
async function delayForms(page: Page): Promise<string[]> {
  const sent: string[] = [];
  await page.route('**/*', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    sent.push(route.request().url());
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await route.continue();
  });
  return sent;
}

/** Presses a button twice, and returns after how many ms its form and it are busy. */
const pressTwice = (button: Locator): Promise<{ form: number; button: number }> =>
  button.evaluate(async (element: HTMLButtonElement) => {
    const { form } = element;
    const pressed = performance.now();
    element.click();
    element.click();
    const busyAfter = { form: Number.POSITIVE_INFINITY, button: Number.POSITIVE_INFINITY };
    while (performance.now() - pressed < 1_000) {
      const ms = performance.now() - pressed;
      if (form?.ariaBusy === 'true') busyAfter.form = Math.min(busyAfter.form, ms);
      if (element.ariaBusy === 'true') busyAfter.button = Math.min(busyAfter.button, ms);
      if (busyAfter.form + busyAfter.button < Number.POSITIVE_INFINITY) break;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return busyAfter;
  });

for (const { name, button, path } of [
  { name: 'RSVP', button: "I'm going", path: '?/rsvp' },
  { name: 'claim', button: 'Bring Sourdough bread', path: '?/claim' },
  { name: 'saving', button: 'Save', path: '?/save' },
]) {
  test(`slow API: ${name}: aria-busy within 100 ms, and a double press sends one request`, async ({
    page,
    signInAsGuest,
  }) => {
    const { event } = await signInAsGuest({ capacity: 5 });
    await openEvent(page, event);
    const sent = await delayForms(page);
    const pressed = page.getByRole('button', { name: button, exact: true });
    const form = page.locator('form').filter({ has: pressed });
    const busyAfter = await pressTwice(pressed);
    expect(busyAfter.form).toBeLessThan(100);
    expect(busyAfter.button).toBeLessThan(100);
    await expect(form).toHaveAttribute('aria-busy', 'true');
    await expect(page.locator('form[aria-busy=true]')).toHaveCount(0, { timeout: delayMs + 5_000 });
    expect(sent.map((url) => new URL(url).search)).toEqual([path]);
  });
}

test('slow API: what is pressed while another form is sent is sent afterwards, in the order of the presses', async ({
  page,
  signInAsGuest,
}) => {
  const { host, event, guest } = await signInAsGuest();
  await newItem(host, event.id, { title: 'Olives' });
  await openEvent(page, event);
  const sent = await delayForms(page);
  for (const name of ['Maybe', "I'm going", 'Bring Sourdough bread', 'Bring Olives'])
    await page.getByRole('button', { name, exact: true }).click();
  await expect(page.locator('button[aria-busy=true]')).toHaveCount(4);
  await expect(page.locator('form[aria-busy=true]')).toHaveCount(0, { timeout: 4 * delayMs + 5_000 });
  expect(sent.map((url) => new URL(url).search)).toEqual(['?/rsvp', '?/rsvp', '?/claim', '?/claim']);
  const { data } = await getEvent({ client: guest.client, path: { id: event.id } });
  expect(data.myRsvp).toBe('going');
  await expect(page.getByRole('button', { name: /^Give back/ })).toHaveCount(2);
});

test('slow API: the sign-in and the forms of organizers are busy within 100 ms and sent once', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const host = await createPerson();
  const event = await newEvent(host);
  await page.goto('/sign-in');
  await page.waitForLoadState('networkidle');
  const sent = await delayForms(page);
  await page.getByLabel('Your phone number').fill(host.phone);
  expect((await pressTwice(page.getByRole('button', { name: 'Send code' }))).form).toBeLessThan(100);
  await expect(page.getByRole('textbox', { name: 'Code' })).toBeVisible({ timeout: delayMs + 5_000 });
  await signIn(context, host);
  await page.goto(`/e/${event.id}/cancel`);
  await page.waitForLoadState('networkidle');
  const cancel = page.getByRole('button', { name: 'Cancel event' });
  expect((await pressTwice(cancel)).form).toBeLessThan(100);
  await expect(page).toHaveURL(`/e/${event.id}`, { timeout: delayMs + 5_000 });
  expect(sent.map((url) => new URL(url).pathname)).toEqual(['/sign-in', `/e/${event.id}/cancel`]);
});

test('slow API: a navigation shows that it is busy within 100 ms', async ({ page, createPerson }) => {
  const event = await newEvent(await createPerson());
  await openEvent(page, event);
  await page.route('**/__data.json*', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await route.continue();
  });
  const busyAfter = await page.getByRole('link', { name: 'People' }).evaluate(async (link: HTMLElement) => {
    const pressed = performance.now();
    link.click();
    while (document.querySelector('main')?.ariaBusy !== 'true' && performance.now() - pressed < 1_000)
      await new Promise((resolve) => setTimeout(resolve, 5));
    return performance.now() - pressed;
  });
  expect(busyAfter).toBeLessThan(100);
  await expect(page.getByRole('progressbar', { name: 'Loading' })).toBeVisible();
  await expect(page).toHaveURL('/people', { timeout: delayMs + 5_000 });
  await expect(page.getByRole('progressbar', { name: 'Loading' })).toBeHidden();
  await expect(page.getByRole('main')).toHaveAttribute('aria-busy', 'false');
});

test('busy server: a form that gets a 503 is sent again after Retry-After with the same key, and succeeds', async ({
  page,
  signInAsGuest,
}) => {
  const { event } = await signInAsGuest();
  await openEvent(page, event);
  const attempts: { at: number; key: string | undefined }[] = [];
  await page.route(/\?\/claim$/, async (route) => {
    attempts.push({ at: performance.now(), key: route.request().headers()['idempotency-key'] });
    if (attempts.length > 1) return route.continue();
    // The server has done its work, and could not say so in time.
    await route.fetch();
    await route.fulfill({ status: 503, headers: { 'retry-after': '2' }, json: { code: 'unavailable' } });
  });
  await page.getByRole('button', { name: 'Bring Sourdough bread' }).click();
  await expect(page.getByText('The server is busy. Trying again…')).toBeVisible();
  await expect(page.getByText('You bring 1')).toBeVisible();
  await expect(page.getByText('The server is busy.')).toBeHidden();
  await expect(page.getByText('2 still needed')).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
  const [first, second] = attempts;
  expect(attempts).toHaveLength(2);
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(1_900);
  expect(first?.key).toBeTruthy();
  expect(second?.key).toBe(first?.key);
});

test('busy server: a form explains a failure that lasts, and keeps what was entered', async ({
  page,
  signInAsGuest,
}) => {
  const { event } = await signInAsGuest();
  await openEvent(page, event);
  await page.getByRole('button', { name: 'Bring Sourdough bread' }).click();
  await page.route(/\?\/note$/, (route) =>
    route.fulfill({ status: 503, headers: { 'retry-after': '60' }, json: { code: 'unavailable' } }),
  );
  const note = page.getByLabel('What exactly?');
  await note.fill('Rye');
  await note.press('Enter');
  await expect(page.getByRole('alert')).toBeVisible();
  await expect(note).toHaveValue('Rye');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Harbour potluck');
});

for (const [failure, status] of [
  ['a 503', 503],
  ['a network error', null],
] as const) {
  test(`busy server: a page that reloads by itself and gets ${failure} stays, and tries again`, async ({
    page,
    context,
    createPerson,
  }) => {
    const host = await createPerson();
    const event = await newEvent(host);
    await openEvent(page, event);
    // The service worker asks for the data, too.
    await page.evaluate(async () => void (await navigator.serviceWorker.ready));
    let isDown = true;
    let attempts = 0;
    await context.route(`**/e/${event.id}/__data.json*`, (route) => {
      attempts++;
      if (!isDown) return route.continue();
      if (status === null) return route.abort();
      return route.fulfill({ status, headers: { 'retry-after': '1' }, json: { code: 'unavailable' } });
    });
    const change = (title: string) =>
      updateEvent({ client: host.client, path: { id: event.id }, body: { title } });
    await change('Harbour picnic');
    await expect.poll(() => attempts, { timeout: 10_000 }).toBeGreaterThan(1);
    await change('Harbour breakfast');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Harbour potluck');
    await expect(page.getByRole('button', { name: "I'm going" })).toBeEnabled();
    isDown = false;
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Harbour breakfast', {
      timeout: 15_000,
    });
  });
}
