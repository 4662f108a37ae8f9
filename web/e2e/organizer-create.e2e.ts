/** Creating an event. */
import type { Page } from '@playwright/test';
import { getEvent, listItems, listMyEvents } from '@potluck/client';
import { expect, newEvent, overflowOf, type Person, test } from './fixtures.ts';
import { choosePlace, openStep, whereOf } from './form-steps.ts';

const draftUrl = /\/e\/[0-9a-f-]{36}$/;
const eventUrl = /\/e\/[0-9a-f-]{36}\?published$/;

/** Fills in what every event needs, in the first two steps. */
async function fillIn(page: Page, { title = 'Harbour potluck', date = '2027-06-05' } = {}): Promise<void> {
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('Category').selectOption('food');
  await page.getByLabel('Starts on').fill(date);
  await page.getByRole('button', { name: 'Next' }).click();
  await expect(whereOf(page)).toBeFocused();
  await choosePlace(page, 'Osl', 'Oslo, Norway');
}

async function openForm(page: Page, template = 'Potluck dinner'): Promise<void> {
  await page.goto('/new');
  await page.waitForLoadState('networkidle');
  await page.getByRole('button', { name: template }).click();
  await expect(page.getByRole('button', { name: template, pressed: true })).toBeVisible();
}

/** The events of a person, newest first. */
async function eventsOf({ client }: Person) {
  return (await listMyEvents({ client, query: { relation: 'organizing' } })).data.data;
}

const idOf = (page: Page): string => new URL(page.url()).pathname.split('/')[2] ?? '';

test('new: signed out, the page asks to sign in and leads back', async ({ page }) => {
  await page.goto('/new?template=potluck');
  await expect(page).toHaveURL(`/sign-in?next=${encodeURIComponent('/new?template=potluck')}`);
});

test('new: the template "Potluck dinner" suggests five items or more, and "Publish" creates all of them', async ({
  page,
  createPerson,
  signIn,
}) => {
  const person = await createPerson();
  await signIn(page.context(), person);
  await openForm(page);
  const titles = page.getByLabel(/^Item \d+$/);
  expect(await titles.count()).toBeGreaterThanOrEqual(5);
  for (const step of ['What and when', 'Where', 'Guests'] as const) {
    await openStep(page, step);
    expect(await overflowOf(page)).toBe(0);
    const button = step === 'Guests' ? 'Publish' : 'Next';
    await expect(page.getByRole('button', { name: button, exact: true })).toBeInViewport();
  }
  const count = await titles.count();
  await page.getByLabel('More: Item 1', { exact: true }).click();
  await page.getByRole('button', { name: 'Remove item 1', exact: true }).click();
  await page.getByLabel('More: Item 2', { exact: true }).click();
  await page.getByRole('button', { name: 'Move item 2 up', exact: true }).click();
  await page.getByRole('button', { name: 'Add item' }).click();
  await expect(page.getByLabel(`Item ${count}`, { exact: true })).toBeFocused();
  await page.getByLabel(`Item ${count}`, { exact: true }).fill('Lemonade');
  await page.getByLabel(`Quantity of item ${count}`, { exact: true }).fill('6');
  const expected = await titles.evaluateAll((inputs) =>
    inputs.map((input) => (input as HTMLInputElement).value),
  );
  await openStep(page, 'What and when');
  // What is required is missing.
  await expect(page.getByRole('button', { name: 'Publish' })).toBeHidden();
  await fillIn(page);
  await expect(page.getByText('Local time at the place')).toBeHidden();
  // Beside the button that leads on, in a bar that is always in sight.
  for (const name of ['Next', 'Publish']) await expect(page.getByRole('button', { name })).toBeInViewport();
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(page).toHaveURL(eventUrl);
  const path = { id: idOf(page) };
  const { data: event } = await getEvent({ client: person.client, path });
  expect(event).toMatchObject({
    title: 'Harbour potluck',
    startAt: '2027-06-05T16:00:00.000Z',
    endAt: '2027-06-05T20:00:00.000Z',
    timezone: 'Europe/Oslo',
    location: { address: 'Oslo, Norway', isExact: false },
    visibility: 'public',
    template: { slug: 'potluck' },
  });
  const { data: items } = await listItems({ client: person.client, path });
  expect(items.data.map(({ title }) => title)).toEqual(expected);
  expect(items.data.at(-1)?.quantityNeeded).toBe(6);
});

test('new: the price is in the currency of the place, with the decimals of the currency', async ({
  page,
  createPerson,
  signIn,
}) => {
  const person = await createPerson();
  await signIn(page.context(), person);
  await openForm(page);
  await fillIn(page, { title: 'Concert by the lake' });
  await choosePlace(page, 'Hanoi', 'Hanoi, Vietnam');
  await openStep(page, 'Guests');
  await page.getByText('More options').click();
  const [price, currency] = [page.getByLabel('Price'), page.getByLabel('Currency')];
  await expect(currency.locator('option:checked')).toHaveText('VND, as at the place');
  await expect(price).toHaveAttribute('step', '1');
  await currency.selectOption('KWD');
  await expect(price).toHaveAttribute('step', '0.001');
  await currency.selectOption('');
  await price.fill('1500000.5');
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(price).toHaveAccessibleDescription(/Too many decimal places/);
  await price.fill('1500000');
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(page).toHaveURL(eventUrl);
  const { data: event } = await getEvent({ client: person.client, path: { id: idOf(page) } });
  expect(event).toMatchObject({ price: 1_500_000, currency: 'VND' });
  await expect(page.getByText('₫1,500,000')).toBeVisible();
});

test('new: a local time that the clocks skip is explained at its field, and everything else is kept', async ({
  page,
  createPerson,
  signIn,
}) => {
  await signIn(page.context(), await createPerson());
  await openForm(page);
  await page.getByLabel('Starts at').fill('02:30');
  await fillIn(page, { title: 'Night of the clocks', date: '2027-03-28' });
  await page.getByRole('button', { name: 'Publish' }).click();
  const start = page.getByLabel('Starts on');
  await expect(start).toHaveAccessibleDescription(/does not exist on this day in Europe\/Oslo.*03:30/);
  await expect(start).toBeFocused();
  await expect(page.getByLabel('Title')).toHaveValue('Night of the clocks');
  await expect(page.getByLabel('Item 1', { exact: true })).toHaveValue('Main dish');
  await page.getByLabel('Starts at').fill('03:30');
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(page).toHaveURL(eventUrl);
});

test('new: "Publish" pressed again after a lost response makes one event', async ({
  page,
  createPerson,
  signIn,
}) => {
  const person = await createPerson();
  await signIn(page.context(), person);
  await openForm(page);
  await fillIn(page);
  let lost = 0;
  await page.route(/\/new\?/, async (route) => {
    if (route.request().method() !== 'POST' || lost > 0) return route.continue();
    lost++;
    await route.fetch();
    await route.abort();
  });
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'The connection was lost' })).toBeVisible();
  expect(await eventsOf(person)).toHaveLength(1);
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(page).toHaveURL(eventUrl);
  expect(lost).toBe(1);
  const events = await eventsOf(person);
  expect(events).toHaveLength(1);
  const { data: items } = await listItems({ client: person.client, path: { id: events[0]?.id ?? '' } });
  expect(items.data).toHaveLength(7);
});

test('new: "Save as draft" shows the event to its organizer alone, also when it lasts all day', async ({
  page,
  createPerson,
  signIn,
}) => {
  const person = await createPerson();
  await signIn(page.context(), person);
  await openForm(page, 'General');
  await fillIn(page);
  await openStep(page, 'What and when');
  await page.getByLabel('All day').check();
  await expect(page.getByLabel('Starts at')).toBeHidden();
  await page.getByText('Ends on another day').click();
  await page.getByLabel('Ends on', { exact: true }).fill('2027-06-06');
  await openStep(page, 'Guests');
  await page.getByRole('button', { name: 'Save as draft' }).click();
  await expect(page).toHaveURL(draftUrl);
  const [event] = await eventsOf(person);
  expect(event).toMatchObject({
    visibility: 'private',
    allDay: true,
    startAt: '2027-06-04T22:00:00.000Z',
    endAt: '2027-06-06T22:00:00.000Z',
  });
});

test('new: what is entered before the scripts have loaded is kept', async ({
  page,
  createPerson,
  signIn,
}) => {
  await signIn(page.context(), await createPerson());
  const { promise: scripts, resolve: release } = Promise.withResolvers<void>();
  await page.route(/\.js$/, async (route) => {
    await scripts;
    await route.continue();
  });
  await page.goto('/new?template=potluck', { waitUntil: 'commit' });
  await page.getByLabel('Title').fill('Early bird');
  await page.getByLabel('Category').selectOption('music');
  await page.getByLabel('Description').fill('Worms');
  await page.getByLabel('Starts on').fill('2027-06-05');
  await page.getByLabel('All day').check();
  await openStep(page, 'Guests');
  await page.getByLabel('Item 1', { exact: true }).fill('Grain');
  await page.getByLabel('More: Item 1', { exact: true }).click();
  await page.getByLabel('Kind of item 1').selectOption('wish');
  await openStep(page, 'Where');
  await page.getByLabel('Where is it?').fill('Oslo');
  release();
  await expect(whereOf(page)).toHaveValue('Oslo');
  await expect(page.getByLabel('Title')).toHaveValue('Early bird');
  await expect(page.getByLabel('Category')).toHaveValue('music');
  await expect(page.getByLabel('Description')).toHaveValue('Worms');
  await expect(page.getByLabel('Starts on')).toHaveValue('2027-06-05');
  await expect(page.getByLabel('All day')).toBeChecked();
  await expect(page.getByLabel('Item 1', { exact: true })).toHaveValue('Grain');
  await expect(page.getByLabel('Kind of item 1')).toHaveValue('wish');
});

test('new: items that the API refuses leave no event behind', async ({ page, createPerson, signIn }) => {
  const person = await createPerson();
  await signIn(page.context(), person);
  await openForm(page);
  await fillIn(page);
  // The form checks most fields itself. An emoji of two characters is refused by the API alone.
  await page
    .locator('input[name=itemEmoji]')
    .first()
    .evaluate((input) => {
      (input as HTMLInputElement).value = '🍲🍲';
    });
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'Some fields need your attention' })).toBeVisible();
  await expect(page.getByLabel('Title')).toHaveValue('Harbour potluck');
  await expect(page.getByLabel('Item 1', { exact: true })).toHaveAccessibleDescription(
    /Please enter one emoji/,
  );
  expect(await eventsOf(person)).toHaveLength(0);
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('new: an event with items is created with forms alone', async ({ page, createPerson, signIn }) => {
    const person = await createPerson();
    await signIn(page.context(), person);
    await openForm(page);
    await page.getByLabel('Title').fill('Potluck on paper');
    await page.getByLabel('Category').selectOption('food');
    await page.getByLabel('Starts on').fill('2027-06-05');
    await page.getByLabel('More: Item 2', { exact: true }).click();
    await page.getByRole('button', { name: 'Remove item 2', exact: true }).click();
    await expect(page.getByLabel('Item 2', { exact: true })).toHaveValue('Starter');
    await page.getByLabel('More: Item 2', { exact: true }).click();
    await page.getByRole('button', { name: 'Move item 2 up', exact: true }).click();
    await expect(page.getByLabel('Item 1', { exact: true })).toHaveValue('Starter');
    await page.getByRole('button', { name: 'Add item' }).click();
    await page.getByLabel('Item 7', { exact: true }).fill('Lemonade');
    await expect(page.getByLabel('Title')).toHaveValue('Potluck on paper');
    await page.getByLabel('Where is it?').fill('5 Main Street, Springfield');
    await page.getByRole('button', { name: 'Publish' }).click();
    await expect(page.getByText('Several places have this name')).toBeVisible();
    await page.getByLabel('Springfield, IL, United States').check();
    await page.getByRole('button', { name: 'Publish' }).click();
    await expect(page).toHaveURL(eventUrl);
    const path = { id: idOf(page) };
    const { data: event } = await getEvent({ client: person.client, path });
    expect(event).toMatchObject({
      title: 'Potluck on paper',
      timezone: 'America/Chicago',
      visibility: 'public',
      location: { address: '5 Main Street, Springfield, IL', isExact: false },
      currency: 'USD',
    });
    const { data: items } = await listItems({ client: person.client, path });
    expect(items.data.map(({ title }) => title)).toEqual([
      'Starter',
      'Main dish',
      'Bread',
      'Dessert',
      'Drinks',
      'Plates and cutlery',
      'Lemonade',
    ]);
  });
});

/** What an image on the page shows. */
const drawingOf = (page: Page, selector: string): Promise<string> =>
  page
    .locator(selector)
    .first()
    .evaluate(async (image: HTMLImageElement) => (await fetch(image.src)).text());

test('new: the cover of the published event is the one that the form shows, and stays it in the form', async ({
  page,
  createPerson,
  signIn,
}) => {
  await signIn(page.context(), await createPerson());
  await openForm(page);
  await fillIn(page);
  const shown = await drawingOf(page, '.look img[src*="cover.svg"]');
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(page).toHaveURL(eventUrl);
  const id = idOf(page);
  await page.goto(`/e/${id}`);
  expect(await drawingOf(page, 'article .cover img')).toBe(shown);
  await page.goto(`/e/${id}/edit`);
  expect(await drawingOf(page, '.look img[src*="cover.svg"]')).toBe(shown);
});

test('edit: the form shows the cover of an event without a theme', async ({ page, createPerson, signIn }) => {
  const organizer = await createPerson();
  const { id } = await newEvent(organizer);
  await signIn(page.context(), organizer);
  await page.goto(`/e/${id}`);
  const shown = await drawingOf(page, 'article .cover img');
  await page.goto(`/e/${id}/edit`);
  expect(await drawingOf(page, '.look img[src*="cover.svg"]')).toBe(shown);
});

test('new: a Saturday is chosen, and each step of a phone shows the cover', async ({
  page,
  createPerson,
  signIn,
}) => {
  await signIn(page.context(), await createPerson());
  await openForm(page);
  const day = new Date(`${await page.getByLabel('Starts on').inputValue()}T12:00:00Z`);
  expect(day.getUTCDay()).toBe(6);
  expect(day.getTime()).toBeGreaterThan(Date.now() + 24 * 3_600_000);
  const chosen = page.getByRole('group', { name: 'Days' }).getByRole('button', { pressed: true });
  await expect(chosen).toHaveText(new RegExp(`^Sat\\s+${day.getUTCDate()}\\s`));
  await expect(page.getByText(/^Sat \d+ \w+, 18:00–22:00/).filter({ visible: true })).toBeVisible();
  const cover = page.locator('.glance img');
  await expect(cover).toBeInViewport({ ratio: 1 });
  await page.getByLabel('Title').fill('Lake supper');
  for (const step of ['Where', 'Guests'] as const) {
    await openStep(page, step);
    await expect(cover).toBeInViewport({ ratio: 1 });
    await expect(page.locator('.glance')).toContainText(/Lake supper\s*Sat \d+/);
  }
});

test('new: a birthday is for people with the link, which the form says beside "Publish"', async ({
  page,
  createPerson,
  signIn,
}) => {
  const person = await createPerson();
  await signIn(page.context(), person);
  await openForm(page);
  await expect(page.getByRole('button', { name: 'Everyone', exact: true })).toBeInViewport();
  await openForm(page, 'Birthday');
  await fillIn(page);
  await page.getByRole('button', { name: 'People with the link' }).click();
  await expect(page.getByRole('radio', { name: 'People with the link' })).toBeFocused();
  // The step with the choice says it once.
  await expect(page.getByText('Who can see it').filter({ visible: true })).toHaveCount(1);
  await page.getByRole('radio', { name: 'Everyone', exact: true }).check();
  await openStep(page, 'What and when');
  await expect(page.getByRole('button', { name: 'Everyone', exact: true })).toBeVisible();
  await openStep(page, 'Guests');
  await page.getByRole('radio', { name: 'People with the link' }).check();
  await page.getByRole('button', { name: 'Save as draft' }).click();
  await expect(page).toHaveURL(draftUrl);
  await page.goto(`/e/${idOf(page)}/edit`);
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(page).toHaveURL(eventUrl);
  const { data } = await getEvent({ client: person.client, path: { id: idOf(page) } });
  expect(data.visibility).toBe('unlisted');
});

test.describe('in German', () => {
  test.use({ locale: 'de-DE' });

  test('new: each choice of the item list is shown whole', async ({ page, createPerson, signIn }) => {
    await signIn(page.context(), await createPerson());
    await page.goto('/new?template=potluck');
    await page.getByRole('radio', { name: 'Gäste' }).check();
    for (const more of await page.locator('#items summary').all()) await more.click();
    const cut = await page.locator('[name=itemKind]').evaluateAll((selects) =>
      (selects as HTMLSelectElement[]).flatMap((select) => {
        const { font, paddingLeft, paddingRight } = getComputedStyle(select);
        const context = new OffscreenCanvas(1, 1).getContext('2d');
        if (!context) return ['no canvas'];
        context.font = font;
        const room = select.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
        return [...select.options]
          .map(({ text }) => text)
          .filter((text) => context.measureText(text).width > room);
      }),
    );
    expect(cut).toEqual([]);
  });
});
