/** Steps of the form of an event. */
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';

type Step = 'What and when' | 'Where' | 'Guests';

export async function openStep(page: Page, name: Step): Promise<void> {
  await page.getByRole('radio', { name }).check();
}

/** Chooses a town from the list with the keyboard. */
export async function chooseTown(page: Page, text: string, option: string): Promise<void> {
  const town = page.getByRole('combobox', { name: 'Town or city' });
  await town.fill(text);
  await expect(page.getByRole('option', { name: option })).toBeVisible({ timeout: 20_000 });
  await town.press('ArrowDown');
  await town.press('Enter');
  await expect(town).toHaveValue(option);
}
