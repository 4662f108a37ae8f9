/** The front page: search, filters, places and pages of results. */
import type { Page } from '@playwright/test';
import { createUpload } from '@potluck/client';
import sharp from 'sharp';
import { expect, goTo, holdScripts, newEvent, newItem, overflowOf, test } from './fixtures.ts';

/** A word that no other test has in its events. */
const newWord = (): string =>
  `zephyr${Array.from({ length: 8 }, () => 'abcdefghij'[Math.floor(Math.random() * 10)]).join('')}`;

/** A day of the browser and its server, which may differ from that of the computer that runs the tests. */
const inDays = (days: number): string => Temporal.Now.plainDateISO('Europe/Oslo').add({ days }).toString();
const at = (days: number) => ({ startAt: `${inDays(days)}T10:00:00Z`, endAt: `${inDays(days)}T12:00:00Z` });

const openFilters = (page: Page) => page.getByRole('link', { name: 'Filters' }).click();
const cityOf = (page: Page) => page.getByRole('combobox', { name: 'City' });
const field = (page: Page) => page.getByLabel('What or where', { exact: true });
const titles = (page: Page) => page.getByRole('heading', { level: 3 }).allInnerTexts();

async function search(page: Page, words: string): Promise<void> {
  // Before the scripts have started, the browser sends all fields of the form.
  await expect(page.getByRole('button', { name: 'Near me' })).not.toHaveClass(/pending/);
  await field(page).fill(words);
  await page.getByRole('button', { name: 'Search', exact: true }).click();
}

test('search: fills the address, and Back restores results and scroll', async ({ page, createPerson }) => {
  const organizer = await createPerson();
  const word = newWord();
  await Promise.all(
    Array.from({ length: 8 }, (_, i) => newEvent(organizer, { title: `Supper ${word} ${i}`, ...at(20 + i) })),
  );
  await page.goto('/');
  await search(page, word);
  await expect(page).toHaveURL(`/?q=${word}`);
  await expect(page.getByRole('status').filter({ hasText: '8 events' })).toBeVisible();
  const sixth = page.getByRole('link', { name: `Supper ${word} 5` });
  await sixth.scrollIntoViewIfNeeded();
  const scrolled = await page.evaluate(() => window.scrollY);
  expect(scrolled).toBeGreaterThan(300);
  await sixth.click();
  await expect(page).toHaveURL(/\/e\//);
  await page.goBack();
  await expect(page).toHaveURL(`/?q=${word}`);
  await expect(field(page)).toHaveValue(word);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(scrolled - 150);
  await page.goBack();
  await expect(page).toHaveURL('/');
  await expect(field(page)).toHaveValue('');
});

test('search: words that are entered before the scripts start are kept', async ({ page, createPerson }) => {
  const word = newWord();
  await newEvent(await createPerson(), { title: `Supper ${word}` });
  const start = await holdScripts(page);
  await page.goto('/', { waitUntil: 'commit' });
  const words = field(page);
  await words.fill(word);
  start();
  // The button is inert until the scripts have taken over the form.
  await expect(page.getByRole('button', { name: 'Near me' })).not.toHaveClass(/pending/);
  await expect(words).toHaveValue(word);
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await expect(page).toHaveURL(`/?q=${word}`);
  await expect.poll(() => titles(page)).toEqual([`Supper ${word}`]);
});

test('filters: the sheet says how many events it finds, and each filter can be removed', async ({
  page,
  createPerson,
}) => {
  const organizer = await createPerson();
  const word = newWord();
  await newEvent(organizer, { title: `Quartet ${word}`, category: 'music', price: 0, ...at(3) });
  await newEvent(organizer, { title: `Opera ${word}`, category: 'music', price: 20, ...at(4) });
  await newEvent(organizer, { title: 'Dinner', description: word, category: 'food', ...at(2) });
  await page.goto(`/?q=${word}`);
  await expect.poll(() => titles(page)).toEqual(['Dinner', `Quartet ${word}`, `Opera ${word}`]);
  // The sheet opens once the scripts have started, which add this button.
  await expect(page.getByRole('button', { name: 'Near me' })).toBeAttached();
  await openFilters(page);
  const sheet = page.getByRole('dialog', { name: 'Filters' });
  await expect(sheet.getByRole('button', { name: 'Show 3 events' })).toBeVisible();
  await sheet.getByRole('radio', { name: 'Best match' }).check();
  await sheet.getByRole('radio', { name: 'Music' }).check();
  await expect(sheet.getByRole('button', { name: 'Show 2 events' })).toBeVisible();
  await sheet.getByLabel('Only free events').check();
  await sheet.getByRole('button', { name: 'Show 1 event' }).click();
  await expect(sheet).toBeHidden();
  await expect.poll(() => titles(page)).toEqual([`Quartet ${word}`]);
  await expect(page).toHaveURL(`/?q=${word}&category=music&free=1&order=relevance`);
  await openFilters(page);
  await sheet.getByRole('radio', { name: 'Between two days' }).check();
  const days = await Promise.all(
    ['First day', 'Last day'].map((name) => sheet.getByLabel(name).boundingBox()),
  );
  expect((days[0]?.x ?? 0) + (days[0]?.width ?? 0)).toBeLessThanOrEqual(days[1]?.x ?? 0);
  expect((days[1]?.x ?? 0) + (days[1]?.width ?? 0)).toBeLessThan(360);
  await sheet.getByLabel('First day').fill(inDays(4));
  await sheet.getByLabel('Last day').fill(inDays(2));
  await sheet.getByRole('button', { name: /^Show/ }).click();
  await expect(sheet.getByText('The last day is before the first one.')).toBeVisible();
  await sheet.getByLabel('First day').fill(inDays(2));
  await sheet.getByLabel('Last day').fill(inDays(3));
  await sheet.getByRole('button', { name: 'Show 1 event' }).click();
  await expect.poll(() => titles(page)).toEqual([`Quartet ${word}`]);
  await page.getByRole('link', { name: 'Remove: Music' }).click();
  await expect(page.getByRole('link', { name: 'Remove: Music' })).toHaveCount(0);
  await page.getByRole('link', { name: 'Remove: Free' }).click();
  await expect.poll(() => titles(page)).toEqual([`Quartet ${word}`, 'Dinner']);
  expect(await overflowOf(page)).toBe(0);
});

test('filters: chips narrow the list with one tap', async ({ page, createPerson }) => {
  const organizer = await createPerson();
  const word = newWord();
  await newEvent(organizer, { title: `Quartet ${word}`, category: 'music', price: 0, ...at(3) });
  await newEvent(organizer, { title: `Dinner ${word}`, category: 'food', price: 5, ...at(9) });
  await page.goto(`/?q=${word}`);
  const chips = page.getByRole('list', { name: 'Filters' });
  await chips.getByRole('link', { name: 'Food & drink' }).click();
  await expect.poll(() => titles(page)).toEqual([`Dinner ${word}`]);
  await chips.getByRole('link', { name: 'Remove: Food & drink' }).click();
  await expect.poll(() => titles(page)).toHaveLength(2);
  await chips.getByRole('link', { name: 'Free', exact: true }).click();
  await expect.poll(() => titles(page)).toEqual([`Quartet ${word}`]);
  await chips.getByRole('link', { name: 'All', exact: true }).click();
  await expect.poll(() => titles(page)).toHaveLength(2);
});

test('filters: their button says how many are active', async ({ page }) => {
  await page.goto('/?category=music&free=1');
  await expect(page.getByRole('link', { name: 'Filters 2' })).toBeVisible();
  await page.getByRole('link', { name: 'Remove: Free' }).click();
  await expect(page.getByRole('link', { name: 'Filters 1' })).toBeVisible();
});

test('front page: the title names the town of all events, and rows say where in it', async ({
  page,
  createPerson,
}) => {
  const [organizer, word] = [await createPerson(), newWord()];
  const location = { address: 'Mariaplan 4, 414 78 Göteborg', lat: 57.69, lng: 11.92 };
  await newEvent(organizer, { title: `Market ${word}`, location });
  await page.goto(`/?q=${word}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('What’s on near Göteborg');
  const rows = page.getByRole('article');
  await expect(rows).toContainText('Mariaplan 4');
  await expect(rows).not.toContainText('414 78');
  await openFilters(page);
  await expect(cityOf(page)).toHaveAttribute('placeholder', 'Göteborg');
  await newEvent(organizer, { title: `Supper ${word}` });
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('What’s on');
  await expect(rows.filter({ hasText: 'Market' })).toContainText('Mariaplan 4, Göteborg');
});

test('search: without results, the page suggests what to try', async ({ page, createPerson }) => {
  const organizer = await createPerson();
  const word = newWord();
  await newEvent(organizer, { title: `Supper ${word}`, category: 'food' });
  await page.goto(`/?q=${word}&category=film`);
  await expect(page.getByRole('status').filter({ hasText: '0 events' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'No events found' })).toBeVisible();
  await page.getByRole('link', { name: 'Look at all categories' }).click();
  await expect.poll(() => titles(page)).toEqual([`Supper ${word}`]);
});

test('list: "Show more" adds events and moves the focus to the first of them, and the address has all', async ({
  page,
  createPerson,
}) => {
  const organizer = await createPerson();
  const word = newWord();
  await Promise.all(
    Array.from({ length: 30 }, (_, i) =>
      newEvent(organizer, { title: `Supper ${word} ${i + 1}`, ...at(40 + i) }),
    ),
  );
  // Until the scripts have taken over, the link opens the longer list as a new page, where the focus is at the top.
  await page.goto(`/?q=${word}`, { waitUntil: 'networkidle' });
  await expect(page.getByRole('heading', { level: 3 })).toHaveCount(24);
  await page.getByRole('link', { name: 'Show more' }).click();
  await expect(page.getByRole('heading', { level: 3 })).toHaveCount(30);
  await expect(page.getByRole('link', { name: `Supper ${word} 25` })).toBeFocused();
  await expect(page.getByRole('status').filter({ hasText: '30 shown' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Show more' })).toBeHidden();
  await page.reload();
  await expect(page.getByRole('heading', { level: 3 })).toHaveCount(30);
});

test('list: 80 events are in the list that "Show more" made, and the page alone begins with the page before', async ({
  page,
  createPerson,
}) => {
  const organizer = await createPerson();
  const word = newWord();
  for (let day = 0; day < 80; day += 20)
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        newEvent(organizer, { title: `Supper ${word}`, ...at(40 + day + i) }),
      ),
    );
  const cards = page.getByRole('heading', { level: 3 });
  await page.goto(`/?q=${word}`, { waitUntil: 'networkidle' });
  for (const count of [48, 72, 80]) {
    await page.getByRole('link', { name: 'Show more' }).click();
    await expect(cards).toHaveCount(count);
  }
  await page
    .getByRole('link', { name: `Supper ${word}` })
    .last()
    .click();
  await page.waitForURL('**/e/*');
  await page.goBack();
  await expect(cards).toHaveCount(80);
  await page.goto(`/?q=${word}&page=4`);
  await expect(cards).toHaveCount(32);
  await page.getByRole('link', { name: 'Earlier results' }).click();
  await expect(cards).toHaveCount(48);
});

test('place: refused by the browser, the city is found with the arrow keys, and distances are shown', async ({
  page,
  context,
  createPerson,
}) => {
  await context.clearPermissions();
  const organizer = await createPerson();
  const word = newWord();
  await newEvent(organizer, { title: `Near ${word}` });
  await newEvent(organizer, {
    title: `Far ${word}`,
    location: { address: 'Bergen', lat: 60.39, lng: 5.32 },
  });
  await page.goto(`/?q=${word}`);
  await page.getByRole('button', { name: 'Near me' }).click();
  const sheet = page.getByRole('dialog', { name: 'Filters' });
  await expect(sheet.getByText('Enter a city instead.')).toBeVisible();
  const city = cityOf(page);
  await expect(city).toBeFocused();
  await page.keyboard.type('osl');
  const options = page.getByRole('listbox', { name: 'City' }).getByRole('option');
  await expect(options.first()).toHaveText('Oslo, Norway', { timeout: 20_000 });
  await expect(city).toHaveAttribute('aria-expanded', 'true');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(options.nth(1)).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowUp');
  await expect(city).toHaveAttribute(
    'aria-activedescendant',
    (await options.first().getAttribute('id')) ?? '',
  );
  await page.keyboard.press('Escape');
  await expect(options.first()).toBeHidden();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(city).toHaveValue('Oslo, Norway');
  await sheet.getByRole('button', { name: 'Show 1 event' }).click();
  await expect(page).toHaveURL(/place=Oslo,\+Norway&near=59\.913,10\.746/);
  await expect.poll(() => titles(page)).toEqual([`Near ${word}`]);
  await expect(page.getByRole('article').filter({ hasText: `Near ${word}` })).toContainText(/\d km/);
  await expect(page.getByRole('heading', { level: 1, name: 'What’s on near Oslo' })).toBeVisible();
  await page.getByRole('heading', { level: 1 }).getByRole('link', { name: 'Oslo' }).click();
  await expect(city).toBeFocused();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Remove: Within 50 km of Oslo, Norway' }).click();
  await expect(page.getByRole('heading', { level: 3 })).toHaveCount(2);
});

test.describe('with a location', () => {
  test.use({ geolocation: { latitude: 59.91, longitude: 10.73 }, permissions: ['geolocation'] });

  test('place: "Near me" lists the events around, with their distances', async ({ page, createPerson }) => {
    const organizer = await createPerson();
    const word = newWord();
    const farther = { address: 'Sandvika', lat: 59.89, lng: 10.53 };
    await newEvent(organizer, {
      title: `Far ${word}`,
      startAt: `${inDays(2)}T16:00:00Z`,
      endAt: `${inDays(2)}T20:00:00Z`,
      location: farther,
    });
    await newEvent(organizer, { title: `Near ${word}` });
    await page.goto(`/?q=${word}`);
    const titles = page.getByRole('article').getByRole('heading', { level: 3 });
    await expect(titles).toHaveText([`Far ${word}`, `Near ${word}`]);
    await page.getByRole('button', { name: 'Near me' }).click();
    await expect(titles).toHaveText([`Near ${word}`, `Far ${word}`]);
    await expect(page).toHaveURL(/near=59\.91,10\.73/);
    await expect(page.getByRole('article').filter({ hasText: `Near ${word}` })).toContainText(/km/);
    await expect(page.getByRole('link', { name: 'Remove: Within 50 km of your location' })).toBeVisible();
  });
});

test('calendar: a search can be subscribed to', async ({ page, createPerson, request }) => {
  const organizer = await createPerson();
  const word = newWord();
  await newEvent(organizer, { title: `Supper ${word}` });
  await page.goto(`/?q=${word}`);
  await page.getByRole('link', { name: 'Subscribe in a calendar' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Subscribe in a calendar' })).toBeVisible();
  const feed = await page.getByLabel('Address of the calendar').inputValue();
  expect(await page.getByRole('link', { name: 'Open in your calendar' }).getAttribute('href')).toBe(
    feed.replace('http:', 'webcal:'),
  );
  const response = await request.get(feed);
  expect(response.headers()['content-type']).toContain('text/calendar');
  expect(await response.text()).toContain(`Supper ${word}`);
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('search: words, filters, a place and pages work with forms and links alone', async ({
    page,
    createPerson,
  }) => {
    const organizer = await createPerson();
    const word = newWord();
    await Promise.all(
      Array.from({ length: 25 }, (_, i) =>
        newEvent(organizer, { title: `Supper ${word} ${i}`, ...at(40 + i) }),
      ),
    );
    await newEvent(organizer, { title: `Quartet ${word}`, category: 'music', ...at(1) });
    const city = page.getByLabel('City', { exact: true });
    await page.goto('/');
    await field(page).fill(word);
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await expect(page.getByText('26 events')).toBeVisible();
    await openFilters(page);
    await page.getByRole('radio', { name: 'Food & drink' }).check();
    await city.fill('Oslo');
    await page.getByRole('button', { name: 'Show events' }).click();
    await expect(page.getByText('25 events')).toBeVisible();
    await expect(page.getByRole('heading', { level: 1, name: 'What’s on near Oslo' })).toBeVisible();
    await expect(page.getByRole('article').first()).toContainText(/\d km/);
    await page.getByRole('link', { name: 'Show more' }).click();
    await expect(page.getByRole('heading', { level: 3 })).toHaveCount(25);
    await page.getByRole('heading', { level: 1 }).getByRole('link', { name: 'Oslo' }).click();
    await expect(city).toHaveValue('Oslo, Norway');
    await city.fill('Paris');
    await page.getByRole('button', { name: 'Show events' }).click();
    await expect(page.getByRole('heading', { name: 'No events found' })).toBeVisible();
    await page
      .getByRole('navigation', { name: 'Did you mean another place?' })
      .getByRole('link', { name: /^Paris, TX/ })
      .click();
    await expect(page.getByRole('heading', { level: 1, name: 'What’s on near Paris' })).toBeVisible();
    await page.goto('/?filters=1');
    await city.fill('Xyzzyqqq');
    await page.getByRole('button', { name: 'Show events' }).click();
    await expect(page.getByText('We do not know this place.')).toBeVisible();
    expect(await overflowOf(page)).toBe(0);
  });

  test('search: the name of a town in the only field leads to the events around it', async ({
    page,
    createPerson,
  }) => {
    await newEvent(await createPerson(), { title: 'By the fjord' });
    await page.goto('/');
    await field(page).fill('oslo');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'What’s on near Oslo' })).toBeVisible();
    await expect(page.getByRole('article').first()).toContainText(/\d km/);
    await page.getByRole('link', { name: 'Events with “oslo”' }).click();
    await expect(page).toHaveURL('/?q=oslo');
  });
});

test('list: a title of one long word stays within its card', async ({ page, createPerson }) => {
  const word = newWord();
  await newEvent(await createPerson(), { title: `${word} ${'long'.repeat(30)}`, ...at(20) });
  for (const view of ['list', 'map']) {
    await page.goto(`/?view=${view}&q=${word}`);
    const link = page.getByRole('article').getByRole('link', { name: `${word} long` });
    const [title, card] = await Promise.all([link.boundingBox(), page.locator('main').boundingBox()]);
    expect(title?.width).toBeLessThan(card?.width ?? 0);
  }
});

test('map: the list below it keeps to the words of the search', async ({ page, createPerson }) => {
  const [organizer, word] = [await createPerson(), newWord()];
  await newEvent(organizer, { title: `Supper ${word}`, ...at(20) });
  await newEvent(organizer, { title: 'Another supper', ...at(20) });
  await page.goto(`/?view=map&q=${word}`);
  await page.waitForLoadState('networkidle');
  expect(await titles(page)).toEqual([`Supper ${word}`]);
  await expect(page).toHaveURL(new RegExp(`q=${word}`));
});

const dayOf = (start: string): RegExp => {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'Europe/Oslo' }).format(new Date(start));
  return new RegExp(`^${format({ weekday: 'long' })} ${format({ day: 'numeric', month: 'long' })}`);
};

test('list: it is grouped by the day on which events begin at their venues', async ({
  page,
  createPerson,
}) => {
  const organizer = await createPerson();
  const word = newWord();
  // In Auckland, this evening in Europe is tomorrow morning.
  const evening = { startAt: `${inDays(6)}T20:00:00Z`, endAt: `${inDays(6)}T21:00:00Z` };
  await newEvent(organizer, { title: `Oslo ${word}`, ...evening });
  await newEvent(organizer, { title: `Auckland ${word}`, ...evening, timezone: 'Pacific/Auckland' });
  await newEvent(organizer, { title: `Tomorrow ${word}`, ...at(1) });
  await page.goto(`/?q=${word}`);
  const groups = page.getByRole('main').getByRole('heading', { level: 2 });
  await expect(groups).toHaveText([
    /^Tomorrow /,
    dayOf(`${inDays(6)}T12:00:00Z`),
    dayOf(`${inDays(7)}T12:00:00Z`),
  ]);
  expect(await titles(page)).toEqual([`Tomorrow ${word}`, `Oslo ${word}`, `Auckland ${word}`]);
  await expect(page.getByRole('article').nth(1)).toContainText('21:00');
  await expect(page.getByRole('article').nth(2)).toContainText('09:00');
});

test('list: the first event of the first day that has a picture leads it, and is shown large', async ({
  page,
  createPerson,
}) => {
  const [organizer, word] = [await createPerson(), newWord()];
  await newEvent(organizer, { title: `Coffee ${word}`, ...at(1) });
  const bytes = await sharp({ create: { width: 900, height: 900, channels: 3, background: 'teal' } })
    .webp()
    .toBuffer();
  const { data } = await createUpload({ client: organizer.client, body: new Blob([new Uint8Array(bytes)]) });
  await newEvent(organizer, { title: `Painting ${word}`, coverUrl: data.url, ...at(1) });
  for (const days of [2, 3]) await newEvent(organizer, { title: `Supper ${word} ${days}`, ...at(days) });
  await page.goto(`/?q=${word}`);
  expect((await titles(page)).slice(0, 2)).toEqual([`Painting ${word}`, `Coffee ${word}`]);
  const widths = await page
    .getByRole('article')
    .evaluateAll((rows) => rows.map((row) => row.querySelector('img')?.width));
  expect(widths[0]).toBeGreaterThan(300);
  expect(widths[1]).toBeLessThan(120);
  // Without a map beside them, two columns have room for others: it leads across both.
  await page.setViewportSize({ width: 900, height: 900 });
  const [lead, list] = await Promise.all([
    page.getByRole('article').first().boundingBox(),
    page
      .getByRole('list')
      .filter({ has: page.getByRole('article') })
      .first()
      .boundingBox(),
  ]);
  expect(lead?.width).toBe(list?.width);
  // Beside a map, all rows are compact.
  await page.goto(`/?q=${word}&view=map`);
  expect((await titles(page))[0]).toBe(`Coffee ${word}`);
});

test("list: a row says who comes and what is needed, and the viewer's own answer", async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [organizer, guest] = [await createPerson(), await createPerson()];
  const word = newWord();
  const event = await newEvent(organizer, {
    title: `Supper ${word}`,
    guestListVisibility: 'everyone',
    ...at(5),
  });
  await newItem(organizer, event.id);
  await newEvent(organizer, { title: `Silent ${word}`, ...at(6) });
  await goTo(guest, event.id);
  await page.goto(`/?q=${word}`);
  const row = page.getByRole('article').filter({ hasText: 'Supper' });
  await expect(row).toContainText('1 going');
  await expect(row).toContainText('1 thing still needed');
  // A person without an image has the first letter of the name.
  await expect(row.locator('.faces')).toContainText(guest.name.charAt(0));
  await expect(page.getByRole('article').filter({ hasText: 'Silent' })).not.toContainText('going');
  await signIn(context, guest);
  await page.reload();
  await expect(row).toContainText("You're going");
});

for (const height of [640, 780])
  test(`front page: on a phone ${height} pixels high, ${height === 640 ? 'one event is' : 'two events are'} in sight`, async ({
    page,
    createPerson,
  }) => {
    await page.setViewportSize({ width: 360, height });
    const organizer = await createPerson();
    await newEvent(organizer, { title: 'Breakfast', ...at(1) });
    await newEvent(organizer, { title: 'Lunch', ...at(1) });
    await page.goto('/');
    const row = page.getByRole('article').nth(height === 640 ? 0 : 1);
    const box = await row.boundingBox();
    expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThanOrEqual(height);
    await expect(page.getByRole('link', { name: 'Create an event' })).toBeInViewport();
  });

test('front page: nothing lies over the text of a row, on a phone and in a wide window', async ({
  page,
  createPerson,
}) => {
  const organizer = await createPerson();
  for (const days of [1, 2, 3, 4]) await newEvent(organizer, { title: `Supper ${days}`, ...at(days) });
  for (const [width, height] of [
    [360, 740],
    [1280, 800],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.goto('/');
    await expect(page.getByRole('button', { name: 'Near me' })).not.toHaveClass(/pending/);
    const covered = await page.getByRole('article').evaluateAll((rows) =>
      rows.flatMap((row) =>
        [...row.querySelectorAll('.when, .title, .where')].filter((text) => {
          const { left, right, top, bottom } = text.getBoundingClientRect();
          const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
          return top >= 0 && bottom <= innerHeight && !row.contains(hit);
        }),
      ),
    );
    expect(covered).toEqual([]);
  }
});

test('list: events that began before today are in a group of their own, behind those of today', async ({
  page,
  createPerson,
}) => {
  const organizer = await createPerson();
  const word = newWord();
  const midnight = Temporal.PlainDate.from(inDays(0)).toZonedDateTime('Europe/Oslo').epochMilliseconds;
  const time = (days: number) => new Date(midnight + days * 86_400_000).toISOString();
  const create = (name: string, start: number, end: number) =>
    newEvent(organizer, { title: `${name} ${word}`, startAt: time(start), endAt: time(end) });
  await create('Market', 0, 1.5);
  await create('Dinner', 3, 4);
  for (let i = 1; i <= 8; i++) await create(`Exhibition ${i}`, i - 20, 30);
  await page.goto(`/?q=${word}`);
  await expect(page.getByRole('status').filter({ hasText: '10 events' })).toBeVisible();
  const shown = ['Market', ...Array.from({ length: 3 }, (_, i) => `Exhibition ${i + 1}`), 'Dinner'];
  expect(await titles(page)).toEqual(shown.map((name) => `${name} ${word}`));
  const groups = page.getByRole('main').getByRole('heading', { level: 2 });
  await expect(groups.filter({ hasNotText: 'Filters' })).toHaveText([/^Today /, 'On now', dayOf(time(3))]);
  expect(await overflowOf(page)).toBe(0);
  await page.getByRole('link', { name: 'All 8 that are on now' }).click();
  await expect.poll(async () => (await titles(page)).length).toBe(8);
  await page.getByRole('link', { name: 'Remove: On now' }).click();
  await expect.poll(() => titles(page)).toEqual(shown.map((name) => `${name} ${word}`));
});
