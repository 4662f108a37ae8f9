/** The first run: from the address in the log of a server to its first admin. */
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { startFirstServer } from './first-server.ts';
import { expect, overflowOf, test } from './fixtures.ts';

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Asserts that the page has no violation, light and dark, on phones and wide screens. */
async function expectAccessible(page: Page): Promise<void> {
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const { violations } = await new AxeBuilder({ page }).withTags(tags).analyze();
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target)}`)).toEqual([]);
    }
    expect(await overflowOf(page)).toBe(0);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 360, height: 740 });
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test('setup: the address in the log asks for the settings, signs the first admin in, and works once', async ({
      page,
      browser,
    }) => {
      // A server with a database of its own starts.
      test.setTimeout(120_000);
      const { address, stop } = await startFirstServer();
      try {
        await page.goto(address);
        await expect(page.getByRole('heading', { level: 1 })).toHaveText('Welcome to your Potluck');
        if (javaScriptEnabled) await expectAccessible(page);
        await page.getByLabel('Your name').fill('Noor Haddad');
        await page.getByLabel('Your mail address or phone number').fill('noor@example.org');
        await page.getByLabel('Name', { exact: true }).fill('Village events');
        await page.getByRole('combobox', { name: 'Language' }).selectOption('Svenska');
        await page.getByLabel('Contact for questions').fill('hello@example.org');
        await page.getByLabel('A code by mail').uncheck();
        await page.getByRole('button', { name: 'Set up and sign in' }).click();
        await expect(
          page.getByText('Keep at least one way with which you can sign in yourself.').first(),
        ).toBeVisible();
        await expect(page.getByLabel('Contact for questions')).toHaveValue('hello@example.org');
        await page.getByLabel('A code by mail').check();
        await page.getByLabel('A code by text message').uncheck();
        await page.getByRole('button', { name: 'Set up and sign in' }).click();

        await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your town’s page is ready');
        await expect(page).toHaveURL(/\/setup\/ready$/);
        await expect(page.getByRole('button', { name: 'Your account' })).toBeVisible();
        await expect(page.getByRole('link', { name: 'Contact' })).toHaveAttribute(
          'href',
          'mailto:hello@example.org',
        );
        if (javaScriptEnabled) await expectAccessible(page);
        await page.getByRole('button', { name: 'Send a test mail' }).click();
        await expect(page.getByRole('status').filter({ hasText: 'written to the log' })).toBeVisible();
        await page.getByRole('main').getByRole('link', { name: 'Settings' }).click();
        await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Village events');

        const visitor = await browser.newPage({ javaScriptEnabled, locale: 'fr-FR' });
        const closed = await visitor.goto(address);
        expect(closed?.status()).toBe(404);
        // The visitor's browser asks for none of the languages.
        await expect(
          visitor.getByText('Adressen fungerar inte. Det finns redan en administratör'),
        ).toBeVisible();
        await visitor.close();
      } finally {
        await stop();
      }
    });
  });
}
