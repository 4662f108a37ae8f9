/** Steps of the form of an event. */
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';

type Step = 'What and when' | 'Where' | 'Guests';

export async function openStep(page: Page, name: Step): Promise<void> {
  await page.getByRole('radio', { name }).check();
}

export const whereOf = (page: Page) => page.getByRole('combobox', { name: 'Where is it?' });

/** Chooses a place from the list with the keyboard. @param address what the field has then */
export async function choosePlace(page: Page, text: string, address: string): Promise<void> {
  const where = whereOf(page);
  await where.fill(text);
  await expect(page.getByRole('option', { name: address })).toBeVisible({ timeout: 20_000 });
  await where.press('ArrowDown');
  await where.press('Enter');
  await expect(where).toHaveValue(address);
}
