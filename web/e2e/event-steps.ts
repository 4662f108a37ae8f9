/** Steps that several tests of events share. */
import type { Page } from '@playwright/test';
import { expect, newPhone, readCode } from './fixtures.ts';

/** Enters a phone number and its code into the open form. */
export async function signInHere(page: Page, phone = newPhone()): Promise<void> {
  await page.getByRole('textbox', { name: 'Your phone number' }).fill(phone);
  await page.getByRole('button', { name: 'Send code' }).click();
  const code = page.getByRole('textbox', { name: 'Code' });
  await expect(code).toHaveAttribute('autocomplete', 'one-time-code');
  await code.fill(await readCode(page));
  await page.locator('form').filter({ has: code }).getByRole('button', { name: 'Sign in' }).click();
}

/** Opens the page of an event, and waits until its scripts have taken over and listen. */
export async function openEvent(page: Page, { id }: { id: string }): Promise<void> {
  const listening = page.waitForRequest('**/live');
  await page.goto(`/e/${id}`);
  await listening;
}
