/** Lists that a page shows in parts: rendering all of a long one would delay other visitors. */
import { addItems } from '@potluck/client';
import { openEvent } from './event-steps.ts';
import { expect, newEvent, type Person, test } from './fixtures.ts';

/** Adds items named `Dish 1` and so on. */
async function addDishes({ client }: Person, eventId: string, count: number): Promise<void> {
  const items = Array.from({ length: count }, (_, i) => ({
    title: `Dish ${i + 1}`,
    kind: 'bring' as const,
    quantityNeeded: 1,
  }));
  await addItems({ client, path: { id: eventId }, body: { items } });
}

test('bring-list: 60 items are on two pages, and a claim on the second one stays there', async ({
  page,
  signInAsGuest,
}) => {
  const { host, event } = await signInAsGuest();
  await addDishes(host, event.id, 59);
  await openEvent(page, event);
  await expect(page.getByRole('button', { name: /^Bring (Dish|Sourdough)/ })).toHaveCount(50);
  await page.getByRole('link', { name: 'Next page' }).click();
  await expect(page.getByText('Page 2 of 2')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Bring Dish/ })).toHaveCount(10);
  await page.getByRole('button', { name: 'Bring Dish 59' }).click();
  await expect(page.getByText('You bring 1')).toBeVisible();
  await expect(page.getByText('Page 2 of 2')).toBeVisible();
  // A change of another page of the list adds nothing to this one.
  await addDishes(host, event.id, 1);
  await page.getByRole('link', { name: 'Previous page' }).click();
  await expect(page.getByRole('button', { name: /^Bring (Dish|Sourdough)/ })).toHaveCount(50);
});

test('bring-list without scripts: a claim on the second page shows its result there', async ({
  browser,
  baseURL,
  createPerson,
  signIn,
}) => {
  const host = await createPerson();
  const event = await newEvent(host);
  await addDishes(host, event.id, 60);
  const context = await browser.newContext({
    baseURL: baseURL ?? '',
    javaScriptEnabled: false,
    locale: 'en-GB',
  });
  await signIn(context, await createPerson());
  const page = await context.newPage();
  await page.goto(`/e/${event.id}?page=2`);
  await page.getByRole('button', { name: 'Bring Dish 60' }).click();
  await expect(page.getByText('You bring 1')).toBeVisible();
  await expect(page.getByText('Page 2 of 2')).toBeVisible();
  await context.close();
});

test('items of the organizer: 60 items are on three pages, and a saved item stays on its page', async ({
  page,
  createPerson,
  signIn,
}) => {
  const host = await createPerson();
  const event = await newEvent(host);
  await addDishes(host, event.id, 60);
  await signIn(page.context(), host);
  await page.goto(`/e/${event.id}/items?page=3`, { waitUntil: 'networkidle' });
  await expect(page.getByText('Page 3 of 3')).toBeVisible();
  await page.getByText('Dish 60').click();
  const form = page.locator('details[open] form');
  await form.getByLabel('What').fill('Cake');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Page 3 of 3')).toBeVisible();
  await expect(page.locator('summary').filter({ hasText: 'Cake' })).toBeVisible();
  await page.goto(`/e/${event.id}/bring`);
  await expect(page.getByRole('heading', { level: 2, name: 'Cake' })).toBeVisible();
});
