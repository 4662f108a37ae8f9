/** The map with the streets of an operator's file (MAP_TILES). */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Page } from '@playwright/test';
import sharp from 'sharp';
import { dataDir, entry, port, url } from './environment.ts';
import { expect, newEvent, test, withWebGl } from './fixtures.ts';
import { openStep } from './form-steps.ts';
import { makeTown, town } from './town.ts';

const streetsPort = port + 1;
const streetsUrl = `http://127.0.0.1:${streetsPort}`;
const file = path.join(os.tmpdir(), `potluck-e2e-${port}.pmtiles`);

test.use({ ...withWebGl, baseURL: streetsUrl });
// Drawing without a graphics card takes seconds on a busy machine. In one worker, with one server.
test.describe.configure({ mode: 'default', timeout: 90_000 });

let server: ChildProcess;

/** A second server on the database of the tests. */
test.beforeAll(async () => {
  await writeFile(file, makeTown());
  server = spawn(process.execPath, [entry, 'serve'], {
    stdio: 'inherit',
    env: {
      ...process.env,
      PORT: String(streetsPort),
      PUBLIC_URL: streetsUrl,
      DATA_DIR: dataDir,
      DEMO: 'off',
      LOG_LEVEL: 'warn',
      MAP_TILES: file,
    },
  });
  const isReady = () =>
    fetch(`${streetsUrl}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isReady, { timeout: 30_000 }).toBe(true);
});

test.afterAll(async () => {
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  await ended;
  await rm(file);
});

const mapOf = (page: Page) => page.getByRole('group', { name: 'Map of events' });
const townView = `/?view=map&bbox=${[town.lng - 0.04, town.lat - 0.02, town.lng + 0.04, town.lat + 0.02]}`;

/** How many pixels of the map have the colour of land, or nearly. The town is in the sea of the base map. */
async function pixelsOfLand(page: Page): Promise<number> {
  const land = await page.evaluate(() =>
    getComputedStyle(document.documentElement).getPropertyValue('--land'),
  );
  const colour = Buffer.from(land.trim().replace('#', ''), 'hex');
  expect(colour).toHaveLength(3);
  const image = sharp(await mapOf(page).locator('canvas').screenshot()).removeAlpha();
  const bytes = await image.raw().toBuffer();
  let count = 0;
  for (let i = 0; i < bytes.length; i += 3)
    if (colour.every((part, channel) => Math.abs(part - (bytes[i + channel] ?? 0)) <= 2)) count++;
  return count;
}

test('streets: they come in ranges of bytes from this server alone, in light and dark', async ({
  page,
  createPerson,
}) => {
  const location = { address: 'Nordhavn', ...town };
  await newEvent(await createPerson(), { location, timezone: 'Europe/Oslo' });
  const responses: { url: string; status: number; range: string | undefined }[] = [];
  page.on('response', async (response) => {
    const range = response.request().headers().range;
    responses.push({ url: response.url(), status: response.status(), range });
  });
  const problems: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !message.text().includes('GPU stall'))
      problems.push(message.text());
  });
  await page.goto(townView);
  await expect(mapOf(page).locator('canvas')).toBeVisible({ timeout: 20_000 });
  await expect.poll(() => pixelsOfLand(page), { timeout: 20_000 }).toBeGreaterThan(5_000);
  await expect(mapOf(page).getByRole('link', { name: /^Harbour potluck, / })).toBeVisible();
  await expect(mapOf(page).getByRole('link', { name: 'OpenStreetMap' })).toBeVisible();
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(() => pixelsOfLand(page), { timeout: 20_000 }).toBeGreaterThan(5_000);

  const ofFiles = responses.filter((response) => response.url.endsWith('.pmtiles'));
  expect(ofFiles.filter((response) => response.url.endsWith('/map/streets.pmtiles')).length).toBeGreaterThan(
    1,
  );
  for (const { status, range } of ofFiles) {
    expect(status).toBe(206);
    expect(range).toMatch(/^bytes=\d+-\d+$/);
  }
  const isOwn = (address: string) => /^(data|blob):/.test(address) || address.startsWith(`${streetsUrl}/`);
  expect(responses.filter((response) => !isOwn(response.url))).toEqual([]);
  expect(problems).toEqual([]);
});

test('streets: the map works while their file cannot be loaded', async ({ page, createPerson }) => {
  await newEvent(await createPerson(), { location: { address: 'Nordhavn', ...town } });
  await page.route('**/map/streets.pmtiles', (route) => route.abort());
  await page.goto(townView);
  await expect(mapOf(page).locator('canvas')).toBeVisible({ timeout: 20_000 });
  await expect(mapOf(page).getByRole('button', { name: 'Zoom out' })).toBeVisible();
  expect(await pixelsOfLand(page)).toBe(0);
});

test('pin: its map shows streets where the file has them, and elsewhere the towns around', async ({
  page,
  createPerson,
  signIn,
}) => {
  const person = await createPerson();
  await signIn(page.context(), person);
  /** How far a step of the pin is: some metres on a map of streets. */
  const stepIn = async (location: { address: string; lat: number; lng: number }) => {
    const { id } = await newEvent(person, { location: { ...location, isExact: true } });
    await page.goto(`/e/${id}/edit`);
    await openStep(page, 'Where');
    const pin = page.getByRole('button', { name: /^Pin\. Arrow keys move it/ });
    await expect(pin).toBeVisible({ timeout: 30_000 });
    const longitude = page.locator('[name=lng]');
    const before = Number(await longitude.inputValue());
    await pin.press('ArrowRight');
    await expect(longitude).not.toHaveValue(String(before));
    await expect(page.getByText('This map has no streets: guests get the address.')).toHaveCount(
      location.address === 'Nordhavn' ? 0 : 1,
    );
    return Number(await longitude.inputValue()) - before;
  };
  expect(await stepIn({ address: 'Nordhavn', ...town })).toBeLessThan(0.001);
  expect(await stepIn({ address: 'Karl Johans gate 1, Oslo', lat: 59.9106, lng: 10.7291 })).toBeGreaterThan(
    0.002,
  );
});

test.describe('without MAP_TILES', () => {
  test.use({ baseURL: url });

  test('map: countries and towns come from this server, and the code of streets is not loaded', async ({
    page,
  }) => {
    const paths: string[] = [];
    page.on('request', (request) => paths.push(new URL(request.url()).pathname));
    await page.goto('/?view=map&bbox=8,58,12,61');
    await expect(mapOf(page).locator('canvas')).toBeVisible({ timeout: 20_000 });
    await expect.poll(() => pixelsOfLand(page), { timeout: 20_000 }).toBeGreaterThan(5_000);
    expect(
      paths.filter((name) => name.endsWith('.pmtiles')).every((name) => name === '/map/base.pmtiles'),
    ).toBe(true);
    await expect(mapOf(page).getByRole('link', { name: 'OpenStreetMap' })).toHaveCount(0);
  });
});
