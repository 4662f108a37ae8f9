/** Takes the pictures of mails of the documentation, from the files that tests compare: `node docs/mail-pictures.ts`. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from '@playwright/test';
import sharp from 'sharp';
import { findChromium } from '../test/support/chromium.ts';

const mails = [
  { file: 'code_sign_in.en', colorScheme: 'light' },
  { file: 'eventChanged.en', colorScheme: 'dark' },
  { file: 'eventCancelled.ar', colorScheme: 'light' },
  { file: 'summary.de', colorScheme: 'light' },
] as const;

const executablePath = findChromium();
if (!executablePath) throw new Error('There is no Chromium: name one in CHROMIUM.');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
for (const { file, colorScheme } of mails) {
  const viewport = { width: 360, height: 320 };
  const page = await browser.newPage({ viewport, colorScheme, deviceScaleFactor: 2 });
  const golden = path.join(import.meta.dirname, '..', 'test', 'mail', 'golden', `${file}.html`);
  await page.goto(pathToFileURL(golden).href);
  const [name = ''] = file.split('.');
  await sharp(await page.screenshot({ fullPage: true }))
    .png({ palette: true, quality: 80 })
    .toFile(path.join(import.meta.dirname, 'screenshots', `mail-${name}.png`));
  await page.close();
}
await browser.close();
