/** The map of events. */
import type { Page } from '@playwright/test';
import { collectErrors, expect, newEvent, type Person, test, withWebGl } from './fixtures.ts';

test.use(withWebGl);

// Drawing without a graphics card takes seconds on a busy machine.
test.describe.configure({ timeout: 90_000 });

const newWord = (): string =>
  `mistral${Array.from({ length: 8 }, () => 'abcdefghij'[Math.floor(Math.random() * 10)]).join('')}`;

/** Two events in Oslo, three in Bergen. */
async function createEvents(organizer: Person): Promise<string> {
  const word = newWord();
  const oslo = { address: 'Oslo', lat: 59.91, lng: 10.73 };
  const bergen = { address: 'Bergen', lat: 60.3, lng: 5.3 };
  const places = [
    oslo,
    { ...oslo, lng: 10.78 },
    bergen,
    { ...bergen, lat: 60.2, lng: 5.1 },
    { ...bergen, lat: 60.4, lng: 5.5 },
  ];
  await Promise.all(
    places.map((location, i) => newEvent(organizer, { title: `${location.address} ${word} ${i}`, location })),
  );
  return word;
}

const titles = (page: Page) => page.getByRole('heading', { level: 3 }).allInnerTexts();
const watchRequests = (page: Page): string[] => {
  const urls: string[] = [];
  page.on('request', (request) => urls.push(request.url()));
  return urls;
};

test('map: a cluster zooms in, and the list below follows the map', async ({
  page,
  createPerson,
  baseURL,
}) => {
  const word = await createEvents(await createPerson());
  const requests = watchRequests(page);
  const problems = collectErrors(page);
  await page.goto(`/?q=${word}`);
  await page.getByRole('link', { name: 'Map' }).click();
  await expect(page).toHaveURL(`/?q=${word}&view=map`);
  const map = page.getByRole('group', { name: 'Map of events' });
  await expect(map.locator('canvas')).toBeVisible({ timeout: 20_000 });
  await expect(page.getByRole('heading', { level: 3 })).toHaveCount(5);
  await map.getByRole('button', { name: '3 events: zoom in' }).click();
  await expect(page).toHaveURL(/bbox=/);
  await expect(page.getByRole('status').filter({ hasText: '3 events' })).toBeVisible();
  expect((await titles(page)).every((title) => title.startsWith('Bergen'))).toBe(true);
  await expect(async () => {
    await map.getByRole('button', { name: 'Zoom out' }).click();
    await expect(page.getByRole('heading', { level: 3 })).toHaveCount(5, { timeout: 700 });
  }).toPass({ timeout: 15_000 });
  await page.reload();
  await expect(page.getByRole('heading', { level: 3 })).toHaveCount(5);
  await page.goBack();
  await expect(page).toHaveURL(`/?q=${word}`);
  expect(requests.filter((url) => !/^(data|blob):/.test(url) && !url.startsWith(`${baseURL}/`))).toEqual([]);
  expect(problems).toEqual([]);
});

test('map: it reads again what the cache of the browser ends early', async ({ page, createPerson }) => {
  const word = await createEvents(await createPerson());
  const problems = collectErrors(page);
  const times = new Map<string, number>();
  await page.route('**/map/base.pmtiles', async (route) => {
    const { range = '' } = route.request().headers();
    times.set(range, (times.get(range) ?? 0) + 1);
    if (times.get(range) !== 1) return route.continue();
    const { 'content-length': _, ...headers } = (await route.fetch()).headers();
    return route.fulfill({ status: 206, headers, body: '' });
  });
  await page.goto(`/?q=${word}&view=map`);
  const map = page.getByRole('group', { name: 'Map of events' });
  await expect(map.locator('.live.ready')).toBeVisible({ timeout: 60_000 });
  expect(times.size).toBeGreaterThan(2);
  expect([...times].filter(([, count]) => count < 2)).toEqual([]);
  expect(problems).toEqual([]);
});

test('map: beside the list, a pin shows its event once, in the list or on a card, and rows and pins point at each other', async ({
  page,
  createPerson,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  const word = await createEvents(await createPerson());
  await page.goto(`/?q=${word}&view=map&bbox=4.5,60,6,60.6`);
  const map = page.getByRole('group', { name: 'Map of events' });
  await expect(map.locator('.live.ready')).toBeVisible({ timeout: 60_000 });
  const pin = map.getByRole('link', { name: new RegExp(`^Bergen ${word} 3, `) });
  const link = page.getByRole('article').getByRole('link', { name: `Bergen ${word} 3` });
  await pin.click();
  await expect(link).toBeFocused();
  await expect(pin).toHaveClass(/active/);
  const card = map.getByRole('article');
  await expect(card).toHaveCount(0);
  expect(await page.evaluate(() => scrollY)).toBe(0);
  // In a low window, the row is not in sight.
  await page.setViewportSize({ width: 1280, height: 480 });
  const last = (await titles(page)).at(-1) ?? '';
  await map.getByRole('link', { name: new RegExp(`^${last}, `) }).focus();
  await page.evaluate(() => scrollTo(0, 0));
  await page.keyboard.press('Enter');
  await expect(card).toContainText(last);
  await expect(card.getByRole('link')).toHaveAttribute('href', /^\/e\//);
  expect(await page.evaluate(() => scrollY)).toBe(0);
  await page.keyboard.press('Escape');
  await expect(card).toBeHidden();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.mouse.move(1, 1);
  await link.focus();
  await expect(pin).toHaveClass(/active/);
  // Of a cluster, the row of one of its events.
  await page.goto(`/?q=${word}&view=map`);
  await expect(map.locator('canvas')).toBeVisible({ timeout: 20_000 });
  await page
    .getByRole('article')
    .getByRole('link', { name: `Oslo ${word} 0` })
    .focus();
  await expect(map.getByRole('button', { name: '2 events: zoom in' })).toHaveClass(/active/);
});

test('map: events at one place are in the list when the map can zoom no more', async ({
  page,
  createPerson,
}) => {
  const [organizer, word] = [await createPerson(), newWord()];
  const location = { address: 'Reykjavík', lat: 64.147, lng: -21.942 };
  for (const title of [`Lava ${word}`, `Geysir ${word}`]) await newEvent(organizer, { title, location });
  await newEvent(organizer, { title: `Akureyri ${word}`, location: { ...location, lat: 64.18, lng: -21.7 } });
  await page.goto(`/?q=${word}&view=map`);
  const map = page.getByRole('group', { name: 'Map of events' });
  await expect(map.locator('canvas')).toBeVisible({ timeout: 20_000 });
  await expect(async () => {
    await map.getByRole('button', { name: '2 events: zoom in' }).click();
    await expect(page.getByRole('heading', { level: 3 })).toHaveCount(2, { timeout: 1_500 });
  }).toPass({ timeout: 30_000 });
});

test('map: on a phone, results lie in a sheet below it, which has the event of a chosen pin and can be opened', async ({
  page,
  createPerson,
}) => {
  await page.setViewportSize({ width: 360, height: 640 });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const word = await createEvents(await createPerson());
  await page.goto(`/?q=${word}&view=map&bbox=4.9,60.1,5.7,60.5`);
  const map = page.getByRole('group', { name: 'Map of events' });
  await expect(map.locator('canvas')).toBeVisible({ timeout: 20_000 });
  const [top, sheet] = [(await map.boundingBox())?.y ?? 0, await page.locator('.handle').boundingBox()];
  // The map has half of the window, and the sheet its head.
  expect((sheet?.y ?? 0) - top).toBeGreaterThan(300);
  await expect(page.getByRole('status').filter({ hasText: '3 events' })).toBeInViewport({ ratio: 1 });
  await map.getByRole('link', { name: new RegExp(`^Bergen ${word} 3, `) }).click();
  const close = page.getByRole('button', { name: 'Close' });
  await expect(close).toBeInViewport();
  await expect(page.getByRole('article').first()).toContainText(`Bergen ${word} 3`);
  await expect(page.getByRole('article').first()).toBeInViewport({ ratio: 1 });
  await close.click();
  await expect(close).toBeHidden();
  await page.getByRole('button', { name: 'Show the list' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('article').first()).toBeInViewport({ ratio: 1 });
  await page.getByRole('button', { name: 'Show the map' }).click();
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
});

test('map: the keyboard moves it and opens clusters', async ({ page, createPerson }) => {
  const word = await createEvents(await createPerson());
  await page.goto(`/?q=${word}&view=map`);
  const map = page.getByRole('group', { name: 'Map of events' });
  await expect(map.locator('canvas')).toBeVisible({ timeout: 20_000 });
  await map.getByRole('button', { name: '2 events: zoom in' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status').filter({ hasText: '2 events' })).toBeVisible();
  await expect(map.locator('canvas')).toBeFocused();
});

for (const { name, options } of [
  { name: 'without WebGL', options: {} },
  { name: 'without JavaScript', options: { javaScriptEnabled: false } },
]) {
  test.describe(name, () => {
    test.use(options);

    test('map: the drawn map has the same clusters as links, a list names their places by letters where no script runs, and the results follow', async ({
      page,
      createPerson,
      request,
    }) => {
      const word = await createEvents(await createPerson());
      await page.addInitScript(() => {
        HTMLCanvasElement.prototype.getContext = () => null;
      });
      await page.goto(`/?q=${word}&view=map`);
      const map = page.getByRole('group', { name: 'Map of events' });
      await expect(map.getByRole('link', { name: '2 events: zoom in' })).toBeVisible();
      const hasLetters = options.javaScriptEnabled === false;
      const places = page.getByRole('list', { name: 'Places of the events' });
      await expect(places).toBeVisible({ visible: hasLetters });
      if (hasLetters) await expect(places.getByRole('link').first()).toHaveText(/^A\s+Bergen · 3 events$/);
      const letter = map.locator('svg').getByText('A', { exact: true });
      await expect(letter).toBeVisible({ visible: hasLetters });
      await map.getByRole('link', { name: '3 events: zoom in' }).click();
      await expect(page).toHaveURL(/bbox=/);
      await expect(page.getByText('3 events', { exact: true })).toBeVisible();
      expect((await titles(page)).every((title) => title.startsWith('Bergen'))).toBe(true);
      const bbox = new URL(page.url()).searchParams.get('bbox') ?? '';
      const response = await request.get(`/v1/events?q=${word}&bbox=${bbox}`);
      expect(((await response.json()) as { meta: { total: number } }).meta.total).toBe(3);
      await map.getByRole('link', { name: 'Zoom out' }).click();
      await expect(page).not.toHaveURL(new RegExp(bbox));
    });
  });
}

test('map: clusters have the names of their venues', async ({ page, createPerson }) => {
  const [organizer, word] = [await createPerson(), newWord()];
  const venues = [
    { address: 'Harbour shed, Bergen', lat: 60.3, lng: 5.3 },
    { address: 'Old library, Bergen', lat: 60.45, lng: 5.6 },
  ];
  for (const location of venues)
    for (const n of [1, 2]) await newEvent(organizer, { title: `Dinner ${word} ${n}`, location });
  await page.goto(`/?q=${word}&view=map`);
  const map = page.getByRole('group', { name: 'Map of events' });
  await expect(map.locator('.live.ready')).toBeVisible({ timeout: 60_000 });
  for (const name of ['Harbour shed', 'Old library']) await expect(map.getByText(name)).toBeVisible();
});

test('map: on a phone, no pin is cut by an edge of the map or lies under a button or a text', async ({
  page,
  createPerson,
}) => {
  const [organizer, word] = [await createPerson(), newWord()];
  const corners = [60.0, 60.2, 60.4, 60.6].flatMap((lat) => [4.6, 5.2, 5.8].map((lng) => ({ lat, lng })));
  for (const [i, corner] of corners.entries())
    await newEvent(organizer, { title: `Bergen ${word} ${i}`, location: { address: 'Bergen', ...corner } });
  await page.goto(`/?q=${word}&view=map&bbox=4.6,60,5.8,60.6`);
  const map = page.getByRole('group', { name: 'Map of events' });
  await expect(map.locator('.live.ready')).toBeVisible({ timeout: 60_000 });
  const faults = await map.evaluate((element) => {
    const rectOf = (each: Element) => each.getBoundingClientRect();
    const touch = (a: DOMRect, b: DOMRect) =>
      a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    const frame = rectOf(element);
    const things = [...element.querySelectorAll('.maplibregl-ctrl-group, .over-map')].map(rectOf);
    return [...element.querySelectorAll('.maplibregl-marker')].filter((marker) => {
      const rect = rectOf(marker);
      const isCut = rect.left < frame.left || rect.right > frame.right || rect.top < frame.top;
      return touch(rect, frame) && (isCut || things.some((thing) => touch(rect, thing)));
    }).length;
  });
  expect(faults).toBe(0);
  // Whose data it is stands at the edge of the map, above the sheet.
  await expect(map.getByText('GeoNames (CC BY 4.0) · Natural Earth', { exact: true })).toBeInViewport({
    ratio: 1,
  });
});

test('map: a town has the name of the addresses of its events', async ({ page, createPerson }) => {
  const [organizer, word] = [await createPerson(), newWord()];
  const location = { address: 'Saluhallen, Kungstorget, 411 17 Göteborg', lat: 57.72, lng: 11.98 };
  await newEvent(organizer, { title: word, location });
  await page.goto(`/?q=${word}&view=map`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Göteborg');
  const map = page.getByRole('group', { name: 'Map of events' });
  await expect(map.locator('.live.ready')).toBeVisible({ timeout: 60_000 });
  await expect(map.getByText('Gothenburg')).toHaveCount(0);
});

for (const { name, query, count } of [
  { name: 'around a place', query: 'near=60.3,5.3&radius=10', count: 1 },
  { name: 'of a box', query: 'bbox=5.2,60.28,5.5,60.4', count: 2 },
])
  test(`map: the number beside a map ${name} is that of its pins from the start`, async ({
    page,
    createPerson,
  }) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    const [organizer, word] = [await createPerson(), newWord()];
    // The second is in a corner of the box, and beyond the radius. The third is beside the box, where a wide map has room.
    const spots = [
      { lat: 60.3, lng: 5.3 },
      { lat: 60.38, lng: 5.46 },
      { lat: 60.3, lng: 5.52 },
    ];
    for (const spot of spots)
      await newEvent(organizer, { title: `Bergen ${word}`, location: { address: 'Bergen', ...spot } });
    await page.goto(`/?q=${word}&view=map&${query}`);
    await expect(page.getByRole('status').filter({ hasText: new RegExp(`^${count} event`) })).toBeVisible();
    const pins = page.getByRole('group', { name: 'Map of events' }).getByRole('link', { name: 'Bergen' });
    await expect(pins).toHaveCount(count);
    await expect(page.locator('.live.ready')).toBeVisible({ timeout: 60_000 });
    await expect(pins).toHaveCount(count);
    await expect.poll(() => titles(page)).toHaveLength(count);
  });

test('map: it is loaded with the map view only', async ({ page }) => {
  const requests = watchRequests(page);
  await page.goto('/');
  await page.waitForLoadState('networkidle');
  expect(requests.filter((url) => /maplibre|live-map|\/map\//.test(url))).toEqual([]);
});

test('list: on wide screens, the drawing beside it has a pin for each place', async ({
  page,
  createPerson,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  const word = await createEvents(await createPerson());
  await page.goto(`/?q=${word}`);
  const drawing = page.getByRole('complementary', { name: 'Map of events' });
  // Two near Oslo, and three near Bergen.
  const pins = drawing.locator('svg a');
  await expect(pins.getByText(/ 3$/)).toBeVisible();
  await expect(pins.getByText(/ 2$/)).toBeVisible();
});
