/** The page of an event changes with what others do. */
import { addItem, setRsvp, updateEvent } from '@potluck/client';
import { openEvent } from './event-steps.ts';
import { claim, expect, goTo, newEvent, newItem, test } from './fixtures.ts';

test('live: a claim and a count appear within a second, and the focus and entered values stay', async ({
  page,
  createPerson,
  openBrowser,
  signIn,
}) => {
  const host = await createPerson();
  const event = await newEvent(host, { claimantVisibility: 'everyone' });
  const item = await newItem(host, event.id, { quantityNeeded: 4 });
  const guest = await openBrowser(await createPerson('Ada Lovelace'));
  await openEvent(guest, event);

  const visitor = await createPerson();
  await goTo(visitor, event.id);
  await claim(visitor, item.id);
  await signIn(page.context(), visitor);
  await openEvent(page, event);
  await page.getByText('Say what exactly').click();
  const note = page.getByLabel('What exactly?');
  await note.fill('Rye');
  await guest.getByRole('button', { name: 'Bring Sourdough bread' }).click();
  await expect(guest.getByText('You bring 1')).toBeVisible();
  await expect(page.getByText('2 still needed')).toBeVisible({ timeout: 1_000 });
  await expect(page.getByText('2 going', { exact: true })).toBeVisible({ timeout: 1_000 });
  await expect(page.getByRole('list', { name: /Who brings it/ })).toContainText('Ada Lovelace', {
    timeout: 1_000,
  });
  await expect(note).toBeFocused();
  await expect(note).toHaveValue('Rye');
  await expect(page.getByLabel('How many: Sourdough bread')).toHaveAttribute('max', '3');

  // The last one goes while the visitor is in the field.
  const third = await createPerson();
  await goTo(third, event.id);
  await claim(third, item.id, 2);
  await expect(page.getByText('All taken').first()).toBeVisible({ timeout: 1_000 });
  await expect(note).toBeFocused();
  await expect(note).toHaveValue('Rye');
  await expect(page.getByRole('status').filter({ hasText: 'Sourdough bread: 0 left' })).toHaveCount(1);
});

test('live: new items, and changes of the event, appear', async ({ page, createPerson }) => {
  const host = await createPerson();
  const event = await newEvent(host);
  await openEvent(page, event);
  const { client } = host;
  await addItem({
    client,
    path: { id: event.id },
    body: { title: 'Lemonade', kind: 'bring', quantityNeeded: 2 },
  });
  await expect(page.getByRole('heading', { name: 'Lemonade' })).toBeVisible();
  await updateEvent({ client, path: { id: event.id }, body: { title: 'Harbour picnic' } });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Harbour picnic');
});

test('live: an interrupted stream is resumed', async ({ page, createPerson }) => {
  const host = await createPerson();
  const event = await newEvent(host);
  let attempts = 0;
  await page.route('**/live', async (route) => {
    attempts++;
    if (attempts === 1) await route.abort();
    else await route.continue();
  });
  await openEvent(page, event);
  await setRsvp({ client: host.client, path: { id: event.id }, body: { status: 'going' } });
  await expect(page.getByText('1 going', { exact: true })).toBeVisible({ timeout: 10_000 });
  expect(attempts).toBe(2);
});
