/** Steps that several tests of events share. */
import type { Page } from '@playwright/test';
import { expect, newPhone, readCode } from './fixtures.ts';

/** Signs a new person in on the open form. */
export async function signUpHere(page: Page, isScripted = true): Promise<void> {
  await signInHere(page, newPhone(), isScripted);
  await giveName(page);
}

/**
 * Enters a phone number and its code into the open form, which submits a complete code.
 * @param isScripted false where a button must submit it
 */
export async function signInHere(page: Page, phone: string, isScripted = true): Promise<void> {
  await page.getByRole('textbox', { name: 'Your phone number' }).fill(phone);
  await page.getByRole('button', { name: 'Send code' }).click();
  const code = page.getByRole('textbox', { name: 'Code' });
  await expect(code).toHaveAttribute('autocomplete', 'one-time-code');
  await code.fill(await readCode(page));
  if (isScripted) return;
  await page.locator('form').filter({ has: code }).getByRole('button', { name: 'Sign in' }).click();
}

/** Says what the new account is called, which the form asks for after the code. */
export async function giveName(page: Page, name = 'Nora Guest'): Promise<void> {
  await page.getByRole('textbox', { name: 'Your name' }).fill(name);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
}

/** Opens the page of an event, and waits until its scripts have taken over and listen. */
export async function openEvent(page: Page, { id }: { id: string }): Promise<void> {
  const listening = page.waitForRequest('**/live');
  await page.goto(`/e/${id}`);
  await listening;
}
