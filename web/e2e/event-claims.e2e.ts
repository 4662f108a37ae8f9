/** Who brings what. */
import { getEvent, listItems, updateEvent } from '@potluck/client';
import { openEvent, signInHere } from './event-steps.ts';
import { claim, expect, goTo, newEvent, newItem, test } from './fixtures.ts';

test('claim: signed out, "Bring" leads through the sign-in to the RSVP and the claim', async ({
  page,
  createPerson,
}) => {
  const host = await createPerson();
  const event = await newEvent(host);
  await newItem(host, event.id);
  await openEvent(page, event);
  await page.getByLabel('How many: Sourdough bread').fill('2');
  await page.getByRole('button', { name: 'Bring Sourdough bread' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await signInHere(page);
  await expect(page.getByText('You bring 2')).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: "You're going" })).toBeVisible();
  await expect(page).toHaveURL(`/e/${event.id}`);
  const { data: items } = await listItems({ client: host.client, path: { id: event.id } });
  expect(items.data[0]?.quantityClaimed).toBe(2);
  const { data } = await getEvent({ client: host.client, path: { id: event.id } });
  expect(data.goingCount).toBe(1);
});

test('claim: a number field offers 1 to what is left, and the progress is a text, too', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const host = await createPerson();
  const event = await newEvent(host);
  const item = await newItem(host, event.id, {
    description: 'From the bakery',
    link: 'https://example.org/bread',
    imageUrl: 'https://example.org/bread.png',
    emoji: '🍞',
  });
  const other = await createPerson('Ada');
  await goTo(other, event.id);
  await claim(other, item.id);
  const guest = await createPerson();
  await signIn(context, guest);
  await openEvent(page, event);
  const quantity = page.getByRole('spinbutton', { name: 'How many: Sourdough bread' });
  await expect(quantity).toHaveAttribute('min', '1');
  await expect(quantity).toHaveAttribute('max', '2');
  await expect(page.getByText('1 of 3', { exact: true })).toBeVisible();
  // Images on other servers are not loaded.
  await expect(page.locator('img[src*="example.org"]')).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'More about Sourdough bread' })).toHaveAttribute(
    'rel',
    'noopener nofollow ugc',
  );

  // An RSVP comes with the claim.
  await page.getByRole('button', { name: 'Bring Sourdough bread' }).click();
  await expect(page.getByText('2 of 3', { exact: true })).toBeVisible();
  await expect(page.getByRole('progressbar', { name: 'Sourdough bread: 2 of 3' })).toBeVisible();
  await expect(page.getByText('You bring 1')).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: "You're going" })).toBeVisible();

  await quantity.fill('2');
  await page.getByRole('button', { name: 'Change Sourdough bread' }).click();
  await expect(page.getByText('You bring 2')).toBeVisible();
  await expect(page.getByText('All taken')).toBeVisible();
});

test('claim: "Give back" can be undone', async ({ page, context, createClaim, signIn }) => {
  const { event, guest } = await createClaim(2);
  await signIn(context, guest);
  await openEvent(page, event);
  await page.getByRole('button', { name: 'Give back' }).click();
  await expect(page.getByText('0 of 3', { exact: true })).toBeVisible();
  const undo = page.getByRole('button', { name: 'Undo' });
  await expect(undo).toBeFocused();
  await undo.click();
  await expect(page.getByText('You bring 2')).toBeVisible();
  await expect(page.getByText('2 of 3', { exact: true })).toBeVisible();
});

test('claim: two browsers claim the last ones, and the loser reads how many are left', async ({
  createPerson,
  openBrowser,
}) => {
  const host = await createPerson();
  const event = await newEvent(host);
  await newItem(host, event.id, { quantityNeeded: 3 });
  const pages = await Promise.all([
    openBrowser(await createPerson('Ada')),
    openBrowser(await createPerson('Bela')),
  ]);
  for (const page of pages) {
    // Without the live stream, neither knows of the other.
    await page.route('**/live', (route) => route.abort());
    await openEvent(page, event);
    await page.getByLabel('How many: Sourdough bread').fill('2');
  }
  await Promise.all(pages.map((page) => page.getByRole('button', { name: 'Bring Sourdough bread' }).click()));
  for (const page of pages) {
    await expect(page.getByText('You bring 2').or(page.getByRole('alert'))).toBeVisible();
  }
  const lost = await Promise.all(pages.map((page) => page.getByRole('alert').isVisible()));
  expect(lost.filter(Boolean)).toHaveLength(1);
  const loser = pages[lost.indexOf(true)];
  if (!loser) throw new Error('neither browser lost');
  await expect(loser.getByRole('alert')).toHaveText('Someone was faster. Only 1 is left now.');
  const quantity = loser.getByLabel('How many: Sourdough bread');
  await expect(quantity).toHaveValue('1');
  await expect(quantity).toHaveAttribute('max', '1');
  await loser.getByRole('button', { name: 'Bring Sourdough bread' }).click();
  await expect(loser.getByText('You bring 1')).toBeVisible();
  await expect(loser.getByText('3 of 3', { exact: true })).toBeVisible();
});

test('claim: who brings what is shown if the organizer allows it', async ({ page, createPerson }) => {
  const host = await createPerson();
  const event = await newEvent(host, { claimantVisibility: 'everyone' });
  const item = await newItem(host, event.id);
  const guest = await createPerson('Ada Lovelace');
  await goTo(guest, event.id);
  await claim(guest, item.id, 2);
  await openEvent(page, event);
  const list = page.getByRole('list', { name: 'Who brings it: Sourdough bread' });
  await expect(list).toContainText('Ada Lovelace');
  await expect(list).toContainText('× 2');
  await updateEvent({
    client: host.client,
    path: { id: event.id },
    body: { claimantVisibility: 'organizer' },
  });
  await page.reload();
  await expect(list).toHaveCount(0);
});

test('claim: "Bring" is disabled with the reason when claims are switched off meanwhile', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const host = await createPerson();
  const event = await newEvent(host);
  const item = await newItem(host, event.id);
  await signIn(context, await createPerson());
  // The flag applies to the whole server, so the other tests would notice it.
  await page.route(/\?\/claim$/, (route) =>
    route.fulfill({
      status: 403,
      json: {
        type: 'failure',
        status: 403,
        data: `[{"about":1,"problem":2},"${item.id}",{"code":3,"message":3,"fields":4},"claims_disabled",{}]`,
      },
    }),
  );
  await openEvent(page, event);
  const button = page.getByRole('button', { name: 'Bring Sourdough bread' });
  await button.click();
  await expect(button).toBeDisabled();
  await expect(button).toHaveAccessibleDescription('Claiming is switched off on this server at the moment.');
});
