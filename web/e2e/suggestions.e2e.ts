/** Suggestions in the field of the search, and where a search finds nothing. */

import type { Page } from '@playwright/test';
import { searchPlaces } from '@potluck/client';
import { expect, newEvent, overflowOf, type Person, test } from './fixtures.ts';

// The server loads its towns for the first of these tests.
test.describe.configure({ timeout: 60_000 });

const newWord = (): string =>
  `quince${Array.from({ length: 8 }, () => 'abcdefghij'[Math.floor(Math.random() * 10)]).join('')}`;
/** Two letters in the second half are exchanged. */
const withMistake = (word: string): string => `${word.slice(0, -2)}${word.at(-1)}x`;

const fieldOf = (page: Page, name = 'What or where') => page.getByRole('combobox', { name, exact: true });
const optionsOf = (page: Page, name = 'Suggestions') =>
  page.getByRole('listbox', { name, exact: true }).getByRole('option');

/** Suggestions have no places until the server has loaded them. */
async function loadPlaces({ client }: Person): Promise<void> {
  await searchPlaces({ client, query: { q: 'oslo' } });
}

test('suggestions: the keyboard moves, chooses and closes; the focus stays in the field', async ({
  page,
  createPerson,
}) => {
  const organizer = await createPerson();
  await loadPlaces(organizer);
  const word = newWord();
  await newEvent(organizer, { title: `Jam ${word}` });
  await page.goto('/', { waitUntil: 'networkidle' });
  const field = fieldOf(page);
  await field.focus();
  await page.keyboard.type(word);
  await expect(optionsOf(page)).toHaveCount(1);
  await expect(field).toHaveAttribute('aria-expanded', 'true');
  await expect(page.getByRole('status').filter({ hasText: '1 suggestion' })).toBeAttached();
  await page.keyboard.press('ArrowDown');
  const option = optionsOf(page).first();
  await expect(option).toHaveAttribute('aria-selected', 'true');
  await expect(field).toHaveAttribute('aria-activedescendant', (await option.getAttribute('id')) ?? '');
  await expect(field).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(field).not.toHaveAttribute('aria-activedescendant');
  await page.keyboard.press('Escape');
  await expect(field).toHaveAttribute('aria-expanded', 'false');
  await expect(field).toHaveValue(word);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: `Jam ${word}` })).toBeVisible();
});

test('suggestions: Enter without a choice searches for the words', async ({ page }) => {
  const word = newWord();
  await page.goto('/', { waitUntil: 'networkidle' });
  await fieldOf(page).fill(word);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/?q=${word}`);
});

test('suggestions: a place, a category and corrected words change the search', async ({
  page,
  createPerson,
}) => {
  const organizer = await createPerson();
  await loadPlaces(organizer);
  const word = newWord();
  await newEvent(organizer, { title: `Jam ${word}` });
  await page.goto('/', { waitUntil: 'networkidle' });
  const field = fieldOf(page);
  await field.fill('gothenb');
  await optionsOf(page).filter({ hasText: 'Events near Gothenburg, Sweden' }).click();
  await expect(page).toHaveURL(/place=Gothenburg/);
  await expect(field).toHaveValue('');
  await field.fill('musi');
  await optionsOf(page).filter({ hasText: 'Category' }).click();
  await expect(page).toHaveURL(/category=music/);
  await page.goto('/', { waitUntil: 'networkidle' });
  await field.fill(withMistake(word));
  await optionsOf(page)
    .filter({ hasText: `Did you mean “${word}”?` })
    .click();
  await expect(page).toHaveURL(`/?q=${word}`);
  await expect(field).toHaveValue(word);
});

test('search: Enter after a category, a town in any language or a mistyped word shows its events, and says so', async ({
  page,
  createPerson,
}) => {
  const organizer = await createPerson();
  await loadPlaces(organizer);
  const word = newWord();
  const location = { address: 'Haga Nygata 1, Göteborg', lat: 57.7, lng: 11.96 };
  await newEvent(organizer, { title: `Jam ${word}`, category: 'family', location });
  await page.goto('/', { waitUntil: 'networkidle' });
  const field = fieldOf(page);
  const event = page.getByRole('heading', { level: 3, name: `Jam ${word}` });

  await field.fill('kids');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/?category=family&asked=kids');
  await expect(page.getByText('Showing “Family & kids”.')).toBeVisible();
  await expect(event).toBeVisible();
  await page.getByRole('link', { name: 'Events with “kids”' }).click();
  await expect(page).toHaveURL('/?q=kids');

  await page.goto('/', { waitUntil: 'networkidle' });
  await field.fill('gothenburg');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'What’s on near Gothenburg' })).toBeVisible();
  await expect(event).toBeVisible();

  await page.goto('/', { waitUntil: 'networkidle' });
  await field.fill(withMistake(word));
  await page.keyboard.press('Enter');
  await expect(page.getByText(`Showing “${word}”.`)).toBeVisible();
  await expect(field).toHaveValue(word);
  await expect(event).toBeVisible();
  // A filter that is chosen next is about the events on the page.
  await page.getByRole('link', { name: 'Free', exact: true }).click();
  await expect(page).toHaveURL(`/?q=${word}&free=1`);
});

test('suggestions: one request at a time, after a pause, and none for one letter', async ({ page }) => {
  const asked: string[] = [];
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/v1/events/suggest?*', async (route) => {
    asked.push(new URL(route.request().url()).searchParams.get('q') ?? '');
    if (asked.length === 1) await isReleased;
    await route.fulfill({
      json: {
        data: { places: [], categories: [], events: [], corrections: [{ q: asked.at(-1), eventsCount: 2 }] },
        attribution: '',
      },
    });
  });
  const aborted = page.waitForEvent('requestfailed', (request) => request.url().includes('q=first'));
  await page.goto('/', { waitUntil: 'networkidle' });
  const field = fieldOf(page);
  await field.fill('f');
  await field.fill('first');
  await expect.poll(() => asked).toEqual(['first']);
  await field.fill('second');
  await aborted;
  await expect(optionsOf(page)).toHaveText(/second/);
  release();
  await expect(optionsOf(page)).toHaveText(/second/);
  expect(asked).toEqual(['first', 'second']);
  await field.blur();
  await expect(optionsOf(page)).toBeHidden();
});

test.describe('in Arabic, on a phone', () => {
  test.use({ locale: 'ar', viewport: { width: 360, height: 740 } });

  test('suggestions: from right to left, inside the page', async ({ page, createPerson }) => {
    await loadPlaces(await createPerson());
    await page.goto('/', { waitUntil: 'networkidle' });
    await fieldOf(page, 'ماذا أو أين').fill('غوتنبرغ');
    const option = optionsOf(page, 'اقتراحات').filter({ hasText: 'فعاليات بالقرب من' });
    await expect(option).toHaveText(/Gothenburg/);
    const [icon, text, list] = await Promise.all([
      option.locator('svg').boundingBox(),
      option.locator('.text').boundingBox(),
      option.boundingBox(),
    ]);
    expect(icon?.x).toBeGreaterThan((text?.x ?? 0) + (text?.width ?? 0));
    expect(list?.height).toBeGreaterThanOrEqual(44);
    expect(await overflowOf(page)).toBe(0);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/near=57\.7/);
  });
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('search: mistyped words and the names of towns lead to events', async ({ page, createPerson }) => {
    const organizer = await createPerson();
    await loadPlaces(organizer);
    const word = newWord();
    const location = { address: 'Haga Nygata 1, Göteborg', lat: 57.7, lng: 11.96 };
    await newEvent(organizer, { title: `Jam ${word}`, location });
    await page.goto('/');
    await page.getByLabel('What or where', { exact: true }).fill(withMistake(word));
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await expect(page.getByText(`Showing “${word}”.`)).toBeVisible();
    await expect(page.getByRole('heading', { level: 3, name: `Jam ${word}` })).toBeVisible();
    await page.getByRole('link', { name: 'Events with' }).click();
    await expect(page.getByRole('listitem').filter({ hasText: '1 event' })).toBeVisible();
    await page.getByRole('link', { name: `Did you mean “${word}”?` }).click();
    await expect(page).toHaveURL(`/?q=${word}`);
    await expect(page.getByRole('heading', { level: 3, name: `Jam ${word}` })).toBeVisible();
    await page.goto('/?q=gothenburg&category=film');
    await page.getByRole('link', { name: 'Events near Gothenburg, Sweden' }).click();
    await expect(page.getByRole('heading', { level: 3, name: `Jam ${word}` })).toBeVisible();
    expect(await overflowOf(page)).toBe(0);
  });
});
