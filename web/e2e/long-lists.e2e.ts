/** Lists that a page shows in parts: rendering all of a long one would delay other visitors. */
import { addItems, listItems } from '@potluck/client';
import { openEvent } from './event-steps.ts';
import { claim, expect, goTo, newEvent, type Person, test } from './fixtures.ts';

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

test('bring-list: from 20 items on, it can be searched and filtered; a lost race is explained also there', async ({
  page,
  signInAsGuest,
  createPerson,
}) => {
  const { host, event } = await signInAsGuest();
  await addDishes(host, event.id, 18);
  await openEvent(page, event);
  await expect(page.getByRole('searchbox')).toHaveCount(0);
  await addDishes(host, event.id, 1);
  await page.route('**/live', (route) => route.abort());
  await openEvent(page, event);
  const rows = page.getByRole('button', { name: /^Bring (Dish|Sourdough)/ });
  await expect(rows).toHaveCount(20);
  await page.getByRole('searchbox', { name: 'Search the list' }).fill('dísh 1');
  await page.keyboard.press('Enter');
  await expect(rows).toHaveCount(11);
  await page.getByRole('link', { name: 'Still needed' }).click();
  await expect(page).toHaveURL(/show=needed&q=d%C3%ADsh\+1|q=d%C3%ADsh\+1&show=needed/);
  await expect(rows).toHaveCount(11);

  // Somebody else takes the only one, and the row stays with the reason.
  const other = await createPerson();
  await goTo(other, event.id);
  const { data } = await listItems({ client: host.client, path: { id: event.id } });
  const taken = data.data.find(({ title }) => title === 'Dish 12');
  if (!taken) throw new Error('no dish');
  await claim(other, taken.id);
  await page.getByRole('button', { name: 'Bring Dish 12' }).click();
  await expect(page.getByRole('alert')).toHaveText('Someone was faster. None is left now.');
  await page.getByRole('button', { name: 'Bring Dish 13' }).click();
  await expect(page.getByText('You bring 1')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Dish 12' })).toHaveCount(0);

  await page.getByRole('link', { name: 'Mine' }).click();
  await expect(rows).toHaveCount(0);
  await page.getByRole('button', { name: 'Give back Dish 13' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('You bring 1')).toBeVisible();
  await page.getByRole('searchbox').fill('nothing like that');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Nothing on the list matches.')).toBeVisible();
  await page.getByRole('status').getByRole('link', { name: 'All' }).click();
  await expect(rows).toHaveCount(18);
});

test('bring-list without scripts: a search, and a claim in its result', async ({
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
  await page.goto(`/e/${event.id}`);
  await page.getByRole('searchbox').fill('Dish 60');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Bring Dish 60' }).click();
  await expect(page.getByText('You bring 1')).toBeVisible();
  await page.getByLabel('What exactly?').fill('Lasagne');
  await page.getByRole('listitem').getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Lasagne')).toBeVisible();
  await expect(page).toHaveURL(/q=Dish\+60/);
  await page.getByRole('button', { name: 'Give back Dish 60' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('Lasagne')).toBeVisible();
  await context.close();
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
