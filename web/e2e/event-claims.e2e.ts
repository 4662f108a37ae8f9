/** Who brings what. */
import { getEvent, listItems, updateEvent } from '@potluck/client';
import { openEvent, signUpHere } from './event-steps.ts';
import { claim, expect, goTo, newEvent, newItem, test } from './fixtures.ts';

test('claim: signed out, "Bring" leads through the sign-in to the RSVP and the claim', async ({
  page,
  createPerson,
}) => {
  const host = await createPerson();
  const event = await newEvent(host);
  await newItem(host, event.id);
  await openEvent(page, event);
  await page.getByRole('button', { name: 'Bring Sourdough bread' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await signUpHere(page);
  await expect(page.getByText('You bring 1')).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: "You're going" })).toBeVisible();
  await expect(page).toHaveURL(`/e/${event.id}`);
  const { data: items } = await listItems({ client: host.client, path: { id: event.id } });
  expect(items.data[0]?.quantityClaimed).toBe(1);
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
  await expect(page.getByText('2 still needed')).toBeVisible();
  // Images on other servers are not loaded.
  await expect(page.locator('img[src*="example.org"]')).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'More about Sourdough bread' })).toHaveAttribute(
    'rel',
    'noopener nofollow ugc',
  );

  // An RSVP comes with the claim.
  await page.getByRole('button', { name: 'Bring Sourdough bread' }).click();
  await expect(page.getByText('1 still needed')).toBeVisible();
  await expect(page.getByText('You bring 1')).toBeVisible();
  await expect(page.getByText('2 of 3 taken care of')).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: "You're going" })).toBeVisible();
  const quantity = page.getByRole('spinbutton', { name: 'How many: Sourdough bread' });
  await expect(quantity).toHaveAttribute('min', '1');
  await expect(quantity).toHaveAttribute('max', '2');

  await quantity.fill('2');
  await quantity.press('Enter');
  await expect(page.getByText('You bring 2')).toBeVisible();
  await expect(page.getByText('All taken').first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'One more: Sourdough bread' })).toBeDisabled();
});

test('claim: each press of the stepper is sent, in order, and the focus stays', async ({
  page,
  signInAsGuest,
}) => {
  const { host, event } = await signInAsGuest();
  await openEvent(page, event);
  await page.getByRole('button', { name: 'Bring Sourdough bread' }).click();
  const plus = page.getByRole('button', { name: 'One more: Sourdough bread' });
  await expect(plus).toBeFocused();
  const sent: (string | null)[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'POST') return;
    const form = new URLSearchParams(request.postData() ?? '');
    const field = (name: string) =>
      form.get(name) ??
      new RegExp(`name="${name}"\\r\\n\\r\\n([^\\r]*)`).exec(request.postData() ?? '')?.[1] ??
      '';
    sent.push(`${field('quantity')} ${field('by')}`);
  });
  await plus.evaluate((button: HTMLButtonElement) => {
    button.click();
    setTimeout(() => button.click(), 20);
  });
  const quantity = page.getByLabel('How many: Sourdough bread');
  await expect(quantity).toHaveValue('3');
  await expect(page.getByText('You bring 3')).toBeVisible();
  expect(sent).toEqual(['1 1', '2 1']);
  await expect(plus).toBeFocused();
  await expect(plus).toBeDisabled();
  await page.getByRole('button', { name: 'One less: Sourdough bread' }).click();
  await expect(page.getByText('You bring 2')).toBeVisible();
  await expect(plus).toBeEnabled();
  const { data } = await listItems({ client: host.client, path: { id: event.id } });
  expect(data.data[0]?.quantityClaimed).toBe(2);
});

test('claim: one less than 1 gives the item back, which can be undone with its note', async ({
  page,
  context,
  createClaim,
  signIn,
}) => {
  const { event, guest } = await createClaim(1);
  await signIn(context, guest);
  await openEvent(page, event);
  await page.getByText('Say what exactly').click();
  await page.getByLabel('What exactly?').fill('Rye, sliced');
  await page.getByRole('listitem').getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Rye, sliced')).toBeVisible();
  await page.getByRole('button', { name: 'Give back Sourdough bread' }).click();
  await expect(page.getByText('3 still needed')).toBeVisible();
  const undo = page.getByRole('button', { name: 'Undo' });
  await expect(undo).toBeFocused();
  await undo.click();
  await expect(page.getByText('You bring 1')).toBeVisible();
  await expect(page.getByText('2 still needed')).toBeVisible();
  await expect(page.getByText('Rye, sliced')).toBeVisible();
});

test('note: after "Bring", the row asks what exactly; others read it as soon as it is saved', async ({
  page,
  createPerson,
  openBrowser,
}) => {
  const host = await createPerson();
  const event = await newEvent(host, { claimantVisibility: 'everyone' });
  await newItem(host, event.id);
  await openEvent(page, event);
  const own = await openBrowser(await createPerson('Ada Lovelace'));
  await openEvent(own, event);
  await own.getByRole('button', { name: 'Bring Sourdough bread' }).click();
  const note = own.getByLabel('What exactly?');
  await expect(note).toBeVisible();
  await expect(note).toHaveAccessibleDescription('Sourdough bread');
  await note.fill('Rye, sliced');
  await note.press('Enter');
  await expect(note).toBeHidden();
  await expect(own.locator('summary').filter({ hasText: 'Rye, sliced' })).toBeFocused();
  // Own claims are not repeated among those of others.
  await expect(own.getByRole('list', { name: /Who brings it/ })).toHaveCount(0);
  const list = page.getByRole('list', { name: 'Who brings it: Sourdough bread' });
  await expect(list).toContainText('Ada Lovelace: Rye, sliced', { timeout: 10_000 });
  // A changed note changes no number, and is shown as well.
  await own.locator('summary').filter({ hasText: 'Rye, sliced' }).click();
  await note.fill('Spelt');
  await note.press('Enter');
  await expect(list).toContainText('Ada Lovelace: Spelt', { timeout: 10_000 });
});

test('claim: two browsers want the last ones, and the loser reads how many are possible', async ({
  createPerson,
  openBrowser,
}) => {
  const host = await createPerson();
  const event = await newEvent(host);
  await newItem(host, event.id, { quantityNeeded: 4 });
  const pages = await Promise.all([
    openBrowser(await createPerson('Ada')),
    openBrowser(await createPerson('Bela')),
  ]);
  for (const page of pages) {
    // Without the live stream, neither knows of the other.
    await page.route('**/live', (route) => route.abort());
    await openEvent(page, event);
    await page.getByRole('button', { name: 'Bring Sourdough bread' }).click();
    await expect(page.getByText('You bring 1')).toBeVisible();
  }
  // Each page offers three, and together they have four.
  const fields = pages.map((page) => page.getByLabel('How many: Sourdough bread'));
  for (const field of fields) await field.fill('3');
  await Promise.all(fields.map((field) => field.press('Enter')));
  for (const page of pages) {
    await expect(page.getByText('You bring 3').or(page.getByRole('alert'))).toBeVisible();
  }
  const lost = await Promise.all(pages.map((page) => page.getByRole('alert').isVisible()));
  expect(lost.filter(Boolean)).toHaveLength(1);
  const loser = pages[lost.indexOf(true)];
  if (!loser) throw new Error('neither browser lost');
  await expect(loser.getByRole('alert')).toHaveText('Someone was faster. You can bring at most 1.');
  const quantity = loser.getByLabel('How many: Sourdough bread');
  await expect(quantity).toHaveValue('1');
  await expect(quantity).toHaveAttribute('max', '1');
  await expect(loser.getByText('You bring 1')).toBeVisible();
});

test('claim: two browsers claim the last one, and the loser reads that none is left', async ({
  createPerson,
  openBrowser,
}) => {
  const host = await createPerson();
  const event = await newEvent(host);
  await newItem(host, event.id, { quantityNeeded: 1 });
  const pages = await Promise.all([
    openBrowser(await createPerson('Ada')),
    openBrowser(await createPerson('Bela')),
  ]);
  for (const page of pages) {
    await page.route('**/live', (route) => route.abort());
    await openEvent(page, event);
  }
  await Promise.all(pages.map((page) => page.getByRole('button', { name: 'Bring Sourdough bread' }).click()));
  for (const page of pages) {
    await expect(page.getByText('You bring 1').or(page.getByRole('alert'))).toBeVisible();
  }
  const lost = await Promise.all(pages.map((page) => page.getByRole('alert').isVisible()));
  expect(lost.filter(Boolean)).toHaveLength(1);
  const loser = pages[lost.indexOf(true)];
  if (!loser) throw new Error('neither browser lost');
  await expect(loser.getByRole('alert')).toHaveText('Someone was faster. None is left now.');
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
