/**
 * Takes the screenshots of the documentation from a server with the demo data:
 * `node docs/screenshots.ts http://127.0.0.1:3000`.
 */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { chromium, type Page } from '@playwright/test';
import sharp from 'sharp';
import { findChromium } from '../test/support/chromium.ts';

const [url = 'http://127.0.0.1:3000'] = process.argv.slice(2);
const directory = path.join(import.meta.dirname, 'screenshots');
const executablePath = findChromium();
if (!executablePath) throw new Error('There is no Chromium: name one in CHROMIUM.');
const widths = [360, 1280];
/** The demo's organizer. */
const phone = '+12025550101';

async function signIn(page: Page): Promise<void> {
  const headers = { origin: new URL(url).origin };
  const sent = await page.request.post(`${url}/v1/auth/otp/request`, { data: { phone }, headers });
  const { devCode } = (await sent.json()) as { devCode: string };
  await page.request.post(`${url}/v1/auth/browser-session`, { data: { phone, code: devCode }, headers });
}

/** The path of the first event of the organizer that has a bring-list. */
async function findEvent(page: Page): Promise<string> {
  const response = await page.request.get(`${url}/v1/me/events?relation=organizing&limit=50`);
  const { data } = (await response.json()) as { data: { id: string; startAt: string }[] };
  for (const { id } of data) {
    const items = (await (await page.request.get(`${url}/v1/events/${id}/items`)).json()) as {
      data: unknown[];
    };
    if (items.data.length >= 5) return `/e/${id}`;
  }
  throw new Error('No event of the organizer has five items.');
}

await mkdir(directory, { recursive: true });
const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--enable-unsafe-swiftshader'],
});
for (const width of widths) {
  const context = await browser.newContext({
    viewport: { width, height: width < 600 ? 740 : 800 },
    locale: 'en-GB',
  });
  const page = await context.newPage();
  const shoot = async (name: string, place: string) => {
    await page.goto(url + place);
    // An event page never has an idle network: it listens to changes.
    await page.waitForTimeout(1_500);
    // A map that can be moved takes seconds without a graphics card.
    await page.waitForSelector('.live:not(.ready)', { state: 'detached' });
    const png = await page.screenshot();
    await sharp(png)
      .png({ palette: true, quality: 80 })
      .toFile(path.join(directory, `${name}-${width}.png`));
  };
  await shoot('front', '/');
  await shoot('map', '/?view=map');
  await signIn(page);
  const event = await findEvent(page);
  await shoot('event', event);
  await shoot('bring', `${event}/bring`);
  await shoot('new', '/new');
  await shoot('mine', '/mine');
  await shoot('notifications', '/notifications');
  await shoot('settings', '/settings');
  await context.close();
}
await browser.close();
