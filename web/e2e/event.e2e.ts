/** The page of an event, and the RSVP. */
import { AxeBuilder } from '@axe-core/playwright';
import { claimItem, getEvent, listItems, updateEvent } from '@potluck/client';
import { openEvent, signUpHere } from './event-steps.ts';
import { claim, expect, goTo, newEvent, newItem, overflowOf, test } from './fixtures.ts';

test('event: the title is the heading, and "I\'m going" is visible without scrolling', async ({
  page,
  createPerson,
}) => {
  const host = await createPerson('Mara Lindgren');
  const event = await newEvent(host, {
    title: 'A potluck with a very long title that takes several lines on the screen of a phone',
    description: 'Bring a chair.\nMore at https://example.org/potluck.',
    price: 5,
  });
  await openEvent(page, event);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(event.title);
  await expect(page.getByRole('button', { name: "I'm going" })).toBeInViewport({ ratio: 1 });
  expect(await overflowOf(page)).toBe(0);
  await expect(page.getByRole('link', { name: 'Mara Lindgren' })).toHaveAttribute('href', `/u/${host.id}`);
  await expect(page.locator('dl').getByText('Aker Brygge, Oslo')).toBeVisible();
  await page.getByRole('button', { name: 'Directions' }).click();
  await expect(page.getByRole('link', { name: 'map app' })).toHaveAttribute(
    'href',
    'geo:59.9106,10.7291?q=59.9106,10.7291(Aker%20Brygge%2C%20Oslo)',
  );
  await page.keyboard.press('Escape');
  await expect(page.getByRole('link', { name: 'Message' })).toHaveAttribute(
    'href',
    `/messages/${host.id}?event=${event.id}`,
  );
  await expect(page.getByText('€5', { exact: true })).toBeVisible();
  const link = page.getByRole('link', { name: 'https://example.org/potluck' });
  await expect(link).toHaveAttribute('href', 'https://example.org/potluck');
  await expect(link).toHaveAttribute('rel', 'nofollow ugc noopener');
});

test('event: a person who is signed in sees "I\'m going", and nothing covers it', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const event = await newEvent(await createPerson());
  await signIn(context, await createPerson());
  await openEvent(page, event);
  const button = page.getByRole('button', { name: "I'm going" });
  await expect(button).toBeInViewport({ ratio: 1 });
  const isOnTop = (element: HTMLElement) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
  };
  expect(await button.evaluate(isOnTop)).toBe(true);
  await button.click();
  await expect(page.getByRole('status').filter({ hasText: "You're going" })).toBeVisible();
  await expect(button).toBeFocused();
});

test('event: "I\'m going" stays in sight all the way down until it is answered', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const host = await createPerson();
  const event = await newEvent(host);
  for (let i = 0; i < 12; i++) await newItem(host, event.id, { title: `Item ${i}` });
  await signIn(context, await createPerson());
  await page.setViewportSize({ width: 360, height: 780 });
  await openEvent(page, event);
  const button = page.getByRole('button', { name: "I'm going" });
  const link = page.getByRole('link', { name: "I'm going" });
  const last = page.getByRole('heading', { name: 'Item 11' });
  await last.scrollIntoViewIfNeeded();
  await expect(button).toBeInViewport({ ratio: 1 });
  await expect(link).toBeHidden();
  await page.setViewportSize({ width: 1280, height: 700 });
  await last.scrollIntoViewIfNeeded();
  await expect(button).not.toBeInViewport();
  await link.click();
  await expect(button).toBeInViewport({ ratio: 1 });
  await expect(link).toBeHidden();
  await button.click();
  await expect(page.getByRole('status').filter({ hasText: "You're going" })).toBeVisible();
  await page.setViewportSize({ width: 1280, height: 500 });
  await last.scrollIntoViewIfNeeded();
  await expect(link).toHaveCount(0);
  await page.getByRole('link', { name: 'Going' }).click();
  await expect(page.getByRole('button', { name: "Can't go" })).toBeInViewport({ ratio: 1 });
});

test('event: where the coordinates are those of the town, map apps search for the address', async ({
  page,
  createPerson,
}) => {
  const location = { address: 'Aker Brygge, Oslo', lat: 59.9106, lng: 10.7291, isExact: false };
  const event = await newEvent(await createPerson(), { location });
  await page.goto(`/e/${event.id}`);
  await page.getByRole('button', { name: 'Directions' }).click();
  for (const [name, address] of [
    ['map app', /^geo:59\.9106,10\.7291\?q=Aker%20Brygge%2C%20Oslo$/],
    ['Google Maps', /query=Aker%20Brygge%2C%20Oslo$/],
    ['OpenStreetMap', /search\?query=Aker%20Brygge%2C%20Oslo#/],
  ] as const)
    await expect(page.getByRole('link', { name })).toHaveAttribute('href', address);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`event: has no accessibility violations, ${colorScheme}`, async ({
    page,
    context,
    createPerson,
    signIn,
  }) => {
    const host = await createPerson();
    const event = await newEvent(host, {
      description: 'See https://example.org.',
      claimantVisibility: 'everyone',
    });
    const item = await newItem(host, event.id, { link: 'https://example.org/bread' });
    await newItem(host, event.id, { title: 'Oven gloves', kind: 'wish', description: 'Blue' });
    const guest = await createPerson();
    await goTo(guest, event.id);
    await claim(guest, item.id);
    await signIn(context, guest);
    await page.emulateMedia({ colorScheme });
    await openEvent(page, event);
    await page.getByText('Privacy', { exact: true }).click();
    const { violations } = await new AxeBuilder({ page })
      // The title of the document is a matter of EventHead.
      .disableRules(['document-title'])
      .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
      .analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  });
}

test('event: another event shows nothing of the one before', async ({ page, createPerson }) => {
  const host = await createPerson();
  const [first, second] = [
    await newEvent(host, { title: 'First' }),
    await newEvent(host, { title: 'Second' }),
  ];
  await newItem(host, first.id);
  await newItem(host, second.id, { title: 'Lemonade' });
  await openEvent(page, first);
  // A link in the page, as the lists of events have.
  await page.evaluate((path) => {
    const link = document.createElement('a');
    link.href = path;
    link.textContent = 'Go on';
    document.querySelector('main')?.prepend(link);
  }, `/e/${second.id}`);
  const listening = page.waitForRequest(`**/v1/events/${second.id}/live`);
  await page.getByRole('link', { name: 'Go on' }).click();
  await listening;
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Second');
  await expect(page.getByRole('heading', { name: 'Lemonade' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Sourdough bread' })).toHaveCount(0);
});

test.describe('in Tokyo', () => {
  test.use({ timezoneId: 'Asia/Tokyo' });

  test("event: the time is the venue's, with its zone", async ({ page, createPerson }) => {
    const event = await newEvent(await createPerson(), {
      startAt: '2031-01-10T18:00:00+01:00',
      endAt: '2031-01-10T22:00:00+01:00',
    });
    await openEvent(page, event);
    await expect(page.getByRole('time')).toHaveText(/10 Jan 2031.*18:00.*22:00/);
    await expect(page.getByTitle('Central European Standard Time')).toHaveText('CET');
    // Scripts have taken over, and changed nothing.
    await page.getByRole('button', { name: "I'm going" }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await expect(page.locator('time')).toHaveText(/10 Jan 2031.*18:00.*22:00/);
  });
});

test.describe('in Oslo', () => {
  test.use({ timezoneId: 'Europe/Oslo' });

  test("event: the zone is not named where the visitor's clocks show the same time", async ({
    page,
    createPerson,
  }) => {
    await openEvent(page, await newEvent(await createPerson()));
    await expect(page.locator('time')).toBeVisible();
    await expect(page.locator('abbr')).toHaveCount(0);
  });
});

test('rsvp: signed out, "I\'m going" asks for the phone number, and is done after the code', async ({
  page,
  createPerson,
}) => {
  const host = await createPerson();
  const event = await newEvent(host);
  await openEvent(page, event);
  await page.getByRole('button', { name: "I'm going" }).click();
  await expect(page.getByRole('dialog', { name: 'Your phone number' })).toBeVisible();
  await signUpHere(page);
  await expect(page.getByRole('status').filter({ hasText: "You're going" })).toBeVisible();
  await expect(page).toHaveURL(`/e/${event.id}`);
  await expect(page.getByRole('dialog')).toBeHidden();
  const { data } = await getEvent({ client: host.client, path: { id: event.id } });
  expect(data.goingCount).toBe(1);
});

test('rsvp: Escape closes the sign-in and returns the focus', async ({ page, createPerson }) => {
  const event = await newEvent(await createPerson());
  await openEvent(page, event);
  const button = page.getByRole('button', { name: "I'm going" });
  await button.press('Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(button).toBeFocused();
});

test('rsvp: people who come along and the privacy of an RSVP can be changed', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const event = await newEvent(await createPerson());
  const guest = await createPerson();
  await goTo(guest, event.id);
  await signIn(context, guest);
  await openEvent(page, event);
  const more = page.getByRole('button', { name: 'One more' });
  await more.click();
  await expect(page.getByRole('status').filter({ hasText: 'with 1 guest' })).toBeVisible();
  await more.click();
  await expect(page.getByText('3 people in all')).toBeVisible();
  await page.getByText('Privacy', { exact: true }).click();
  await page.getByLabel('Hide me from the guest list').check();
  // The form stays as it is when others change the counts.
  await goTo(await createPerson(), event.id);
  await expect(page.getByText('2 going', { exact: true })).toBeVisible();
  await expect(page.getByLabel('Hide me from the guest list')).toBeChecked();
  await page.getByRole('group').getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Saved' })).toBeVisible();
  await expect(page.getByText('4 people in all')).toBeVisible();
  const { data } = await getEvent({ client: guest.client, path: { id: event.id } });
  expect(data).toMatchObject({ myExtraGuests: 2, isRsvpHidden: true });
});

test('rsvp: "Maybe" and "Can\'t go" change it', async ({ page, context, createPerson, signIn }) => {
  const event = await newEvent(await createPerson());
  const guest = await createPerson();
  await signIn(context, guest);
  await openEvent(page, event);
  await page.getByRole('button', { name: 'Maybe' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'You might go' })).toBeVisible();
  await expect(page.getByText('1 maybe')).toBeVisible();
  await page.getByRole('button', { name: "Can't go" }).click();
  await expect(page.getByText("You're not going any more.")).toBeVisible();
  await expect(page.getByRole('button', { name: "I'm going" })).toBeFocused();
});

test('rsvp: a cancelled event disables "I\'m going" and gives the reason', async ({ page, createPerson }) => {
  const host = await createPerson();
  const event = await newEvent(host);
  await updateEvent({ client: host.client, path: { id: event.id }, body: { status: 'cancelled' } });
  await openEvent(page, event);
  const button = page.getByRole('button', { name: "I'm going" });
  await expect(button).toBeDisabled();
  await expect(button).toHaveAccessibleDescription(/cancelled/);
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('event: can be read, answered and left with forms alone', async ({ page, createPerson }) => {
    const host = await createPerson();
    const event = await newEvent(host, { description: 'Bring a chair.' });
    const item = await newItem(host, event.id);
    await page.goto(`/e/${event.id}`);
    await expect(page.getByText('Bring a chair.')).toBeVisible();
    await expect(page.getByText('3 still needed')).toBeVisible();

    await page.getByRole('button', { name: "I'm going" }).click();
    await expect(page.getByText(/you're going: Harbour potluck/)).toBeVisible();
    await signUpHere(page, false);
    await expect(page).toHaveURL(`/e/${event.id}`);
    await expect(page.getByRole('status').filter({ hasText: "You're going" })).toBeVisible();

    await page.getByLabel('How many: Sourdough bread').fill('2');
    await page.getByRole('button', { name: 'Bring Sourdough bread' }).click();
    await expect(page.getByText('1 still needed')).toBeVisible();

    await page.getByRole('button', { name: "Can't go" }).click();
    await expect(page.getByRole('heading', { name: 'Do you still bring this?' })).toBeVisible();
    await page.getByRole('button', { name: 'Give it back' }).click();
    await expect(page.getByText("You're not going any more.")).toBeVisible();
    await expect(page.getByText('3 still needed')).toBeVisible();
    const { data } = await listItems({ client: host.client, path: { id: event.id } });
    expect(data.data.find(({ id }) => id === item.id)?.quantityClaimed).toBe(0);
  });

  test('claim: signed out, a claim survives the sign-in, and a lost race is explained', async ({
    page,
    createPerson,
  }) => {
    const host = await createPerson();
    const event = await newEvent(host);
    const item = await newItem(host, event.id, { quantityNeeded: 2 });
    await page.goto(`/e/${event.id}`);
    await page.getByLabel('How many: Sourdough bread').fill('2');
    await page.getByRole('button', { name: 'Bring Sourdough bread' }).click();
    await goTo(host, event.id);
    await claimItem({ client: host.client, path: { id: item.id }, body: { quantity: 1 } });
    await signUpHere(page, false);
    await expect(page.getByRole('alert')).toHaveText('Someone was faster. Only 1 is left now.');
    await expect(page.getByLabel('How many: Sourdough bread')).toHaveValue('1');
    await expect(page.getByRole('status').filter({ hasText: "You're going" })).toBeVisible();
  });
});
