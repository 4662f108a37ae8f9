/** The reference of the API. */
import { collectErrors, expect, test } from './fixtures.ts';

test('reference: shows the operations, although its policy allows no other script in the page', async ({
  page,
}) => {
  const refused = collectErrors(page);
  await page.goto('/docs/');
  // A script of 4 MB shows the page.
  const title = page.getByRole('heading', { level: 1, name: 'Potluck', exact: true });
  await expect(title).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole('heading', { level: 2, name: 'Sign in' })).toBeVisible();
  expect(refused).toEqual([]);
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'document.title = "injected"';
    document.body.append(script);
  });
  await expect(page).not.toHaveTitle('injected');
  expect(refused.join()).toContain('Content Security Policy');
});
