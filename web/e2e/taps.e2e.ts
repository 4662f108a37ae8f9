/** How many taps the two main stories take on a phone. Typing is not counted, the tap into a field is. */
import type { Locator, Page } from '@playwright/test';
import { getEvent, listItems } from '@potluck/client';
import { expect, newEvent, newItem, newPhone, test } from './fixtures.ts';

test.use({ hasTouch: true, isMobile: true });

/** Taps as a person makes them. */
class Finger {
  taps = 0;

  async tap(target: Locator): Promise<void> {
    this.taps++;
    await target.tap();
  }

  /** A field that has the focus already needs no tap. */
  async type(field: Locator, text: string): Promise<void> {
    await expect(field).toBeVisible();
    if (!(await field.evaluate((element) => element === document.activeElement))) await this.tap(field);
    await field.pressSequentially(text);
  }

  /** Opens a link that the visitor received. */
  async open(page: Page, path: string): Promise<void> {
    this.taps++;
    await page.goto(path);
  }
}

test('taps: a guest opens a link, says "I\'m going" with a first sign-in, brings a friend and claims two dishes in 7 taps', async ({
  page,
  createPerson,
}) => {
  const host = await createPerson();
  const event = await newEvent(host);
  for (const title of ['Sourdough bread', 'Lemonade']) await newItem(host, event.id, { title });
  const finger = new Finger();
  const listening = page.waitForRequest('**/live');
  await finger.open(page, `/e/${event.id}`);
  await listening;
  await finger.tap(page.getByRole('button', { name: "I'm going" }));
  await finger.type(page.getByRole('textbox', { name: 'Your phone number' }), newPhone());
  await finger.tap(page.getByRole('button', { name: 'Send code' }));
  const code = page.getByRole('textbox', { name: 'Code' });
  await expect(code).toBeVisible();
  await finger.type(code, /\d{6}/.exec(await page.getByText('The code is').innerText())?.[0] ?? '');
  await finger.type(page.getByRole('textbox', { name: 'Your name' }), 'Nora Guest');
  await finger.tap(page.getByRole('button', { name: 'Continue', exact: true }));
  await expect(page.getByRole('status').filter({ hasText: "You're going" })).toBeVisible();
  await finger.tap(page.getByRole('button', { name: 'One more' }));
  await expect(page.getByRole('status').filter({ hasText: 'with 1 guest' })).toBeVisible();
  for (const title of ['Sourdough bread', 'Lemonade'])
    await finger.tap(page.getByRole('button', { name: `Bring ${title}` }));
  await expect(page.getByText('You bring 1')).toHaveCount(2);
  const { data } = await getEvent({ client: host.client, path: { id: event.id } });
  expect(data.partyCount).toBe(2);
  expect(finger.taps).toBeLessThanOrEqual(7);
  test.info().annotations.push({ type: 'taps', description: String(finger.taps) });
});

test('taps: a visitor finds something this weekend near a town in 3 taps and with 1 field', async ({
  page,
  createPerson,
}) => {
  const [minute, day] = [60_000, 86_400_000];
  const time = (ms: number) => new Date(Date.now() + ms).toISOString();
  const location = { address: 'Ammerschwihr', lat: 48.126, lng: 7.281 };
  await newEvent(await createPerson(), { startAt: time(minute), endAt: time(8 * day), location });
  await page.goto('/');
  const finger = new Finger();
  const chips = page.getByRole('list', { name: 'Filters' });
  await finger.type(page.getByLabel('What or where', { exact: true }), 'Colmar');
  await finger.tap(page.getByRole('button', { name: 'Search', exact: true }));
  // The first search of a server loads its places.
  await expect(page.getByRole('heading', { level: 1, name: 'What’s on near Colmar' })).toBeVisible({
    timeout: 10_000,
  });
  await finger.tap(chips.getByRole('link', { name: 'This weekend' }));
  await expect(chips.getByRole('link', { name: 'Remove: This weekend' })).toBeVisible();
  await expect(page.getByRole('article').first()).toContainText('Harbour potluck');
  expect(finger.taps).toBeLessThanOrEqual(3);
});

test('taps: an organizer publishes an event from a template, with a picture and seats, in 9 taps and 5 fields, shares it and prints who brings what in 15', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  test.setTimeout(60_000);
  const organizer = await createPerson();
  await signIn(context, organizer);
  await page.addInitScript(() => {
    const share = async (data: ShareData) => void Object.assign(window, { shared: data });
    Object.defineProperty(navigator, 'share', { value: share });
    Object.defineProperty(window, 'print', { value: () => Object.assign(window, { isPrinted: true }) });
  });
  await page.goto('/');
  const finger = new Finger();
  await finger.tap(page.getByRole('link', { name: 'New event' }));
  await finger.tap(page.getByRole('button', { name: 'Potluck dinner' }));
  await finger.type(page.getByLabel('Title'), 'Harbour potluck');
  await finger.tap(page.getByRole('radio', { name: 'Moon' }));
  await finger.type(page.getByLabel('Seats', { exact: true }), '12');
  await finger.tap(page.getByRole('group', { name: 'One of the next days' }).getByRole('button').nth(3));
  await finger.tap(page.getByRole('button', { name: 'Next' }));
  await finger.type(page.getByRole('combobox', { name: 'Where is it?' }), 'Oslo');
  const town = page.getByRole('option', { name: 'Oslo, Norway' });
  await expect(town).toBeVisible({ timeout: 20_000 });
  await finger.tap(town);
  await finger.tap(page.getByRole('button', { name: 'Publish' }));
  await expect(page).toHaveURL(/\/e\/[0-9a-f-]{36}\?published$/);
  expect(finger.taps).toBeLessThanOrEqual(9);
  const path = { id: new URL(page.url()).pathname.split('/').at(-1) ?? '' };

  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Harbour potluck');
  await finger.tap(
    page.getByRole('region', { name: 'Your event is live' }).getByRole('link', { name: 'Share' }),
  );
  // The dialog of the system asks whom to send it to.
  finger.taps++;
  await expect
    .poll(() => page.evaluate(() => (window as Window & { shared?: ShareData }).shared?.title))
    .toBe('Harbour potluck');

  await finger.tap(page.getByRole('button', { name: 'Manage this event' }));
  await finger.tap(page.getByRole('link', { name: /^(Who brings what|Bringing)$/ }));
  await finger.tap(page.getByRole('button', { name: 'Print' }));
  await expect
    .poll(() => page.evaluate(() => (window as Window & { isPrinted?: boolean }).isPrinted))
    .toBe(true);
  const { data: event } = await getEvent({ client: organizer.client, path });
  expect(event).toMatchObject({ visibility: 'public', capacity: 12, coverTheme: 'moon' });
  const { data: items } = await listItems({ client: organizer.client, path });
  expect(items.data.length).toBeGreaterThanOrEqual(5);
  expect(finger.taps).toBeLessThanOrEqual(15);
  test.info().annotations.push({ type: 'taps', description: String(finger.taps) });
});
