/** Changes of the answer to an event: what happens to what the visitor brings, and to the people who come along. */
import type { Page } from '@playwright/test';
import { bookSeats, type Event, getEvent, listItems, setRsvp } from '@potluck/client';
import { openEvent } from './event-steps.ts';
import { expect, goTo, overflowOf, type Person, test } from './fixtures.ts';

const status = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

async function claimedAt({ client }: Person, { id }: Event): Promise<number | undefined> {
  const { data } = await listItems({ client, path: { id } });
  return data.data[0]?.quantityClaimed;
}

for (const [button, outcome] of [
  ["Can't go", "You're not going any more."],
  ['Maybe', 'You might go'],
] as const) {
  for (const [choice, quantity] of [
    ['Give it back, so that others can bring it', 0],
    ['Keep it: it still gets there', 2],
  ] as const) {
    test(`rsvp: "${button}" with a claim asks, and "${choice}" decides`, async ({
      page,
      context,
      createClaim,
      signIn,
    }) => {
      const { host, event, guest } = await createClaim(2);
      await signIn(context, guest);
      await openEvent(page, event);
      await press(page, button);
      const dialog = page.getByRole('dialog', { name: 'Do you still bring this?' });
      await expect(dialog).toContainText('Sourdough bread × 2');
      expect(await claimedAt(host, event)).toBe(2);
      await dialog.getByRole('button', { name: choice }).click();
      await expect(dialog).toBeHidden();
      await expect(status(page, outcome)).toBeVisible();
      await expect(
        page.getByRole('button', { name: outcome.includes('not') ? "I'm going" : button }),
      ).toBeFocused();
      expect(await claimedAt(host, event)).toBe(quantity);
    });
  }
}

test('rsvp: "Maybe" asks people who are interested nothing about what they kept', async ({
  page,
  context,
  createClaim,
  signIn,
}) => {
  const { host, event, guest } = await createClaim();
  await setRsvp({ client: guest.client, path: { id: event.id }, body: { status: 'interested' } });
  await signIn(context, guest);
  await openEvent(page, event);
  await press(page, 'Maybe');
  await press(page, "I'm going");
  await expect(status(page, "You're going")).toBeVisible();
  await expect(page.getByRole('dialog')).toBeHidden();
  expect(await claimedAt(host, event)).toBe(1);
});

test('rsvp: the people who come along are kept from "I\'m going" to "Maybe" and back', async ({
  page,
  signInAsGuest,
}) => {
  const { event, guest } = await signInAsGuest();
  const body = { status: 'going', extraGuests: 2 } as const;
  await setRsvp({ client: guest.client, path: { id: event.id }, body });
  await openEvent(page, event);
  await press(page, 'Maybe');
  await expect(status(page, 'You might go')).toBeVisible();
  await press(page, "I'm going");
  await expect(status(page, "You're going")).toContainText('with 2 guests');
  const { data } = await getEvent({ client: guest.client, path: { id: event.id } });
  expect(data).toMatchObject({ myRsvp: 'going', myExtraGuests: 2, partyCount: 3 });
});

test('seats: "Maybe" gives them back and keeps their number, which can be lowered when they are gone', async ({
  page,
  createPerson,
  signInAsGuest,
}) => {
  const { event, guest } = await signInAsGuest({ capacity: 4 });
  await openEvent(page, event);
  await page.getByLabel('How many of you?').selectOption('3 people');
  await press(page, "I'm going");
  await expect(status(page, '3 seats are yours.')).toBeVisible();
  await press(page, 'Maybe');
  await expect(status(page, 'You might go')).toBeVisible();
  await expect(page.getByText('4 of 4 seats left')).toBeVisible();
  await expect(page.getByLabel('How many of you?')).toHaveValue('3');
  expect(await overflowOf(page)).toBe(0);

  const other = await createPerson();
  await bookSeats({ client: other.client, path: { id: event.id }, body: { seats: 2 } });
  await press(page, "I'm going");
  await expect(page.getByRole('alert')).toContainText('2');
  await page.getByLabel('How many of you?').selectOption('2 people');
  await press(page, 'Join the waitlist');
  await expect(status(page, '2 seats are yours.')).toBeVisible();
  const { data } = await getEvent({ client: guest.client, path: { id: event.id } });
  expect(data).toMatchObject({ myRsvp: 'going', myExtraGuests: 1, bookedCount: 4 });
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  for (const [choice, quantity] of [
    ['Give it back, so that others can bring it', 0],
    ['Keep it: it still gets there', 1],
  ] as const) {
    test(`rsvp: "Maybe" with a claim asks, and "${choice}" decides`, async ({
      page,
      context,
      createClaim,
      signIn,
    }) => {
      const { host, event, guest } = await createClaim();
      await signIn(context, guest);
      await page.goto(`/e/${event.id}`);
      await press(page, 'Maybe');
      await expect(page.getByRole('heading', { name: 'Do you still bring this?' })).toBeVisible();
      const { data: asked } = await getEvent({ client: guest.client, path: { id: event.id } });
      expect(asked.myRsvp).toBe('going');
      await press(page, choice);
      await expect(status(page, 'You might go')).toBeVisible();
      expect(await claimedAt(host, event)).toBe(quantity);
    });
  }

  test('seats: an interested person joins the waitlist of a full event', async ({
    page,
    createPerson,
    signInAsGuest,
  }) => {
    const { event, guest } = await signInAsGuest({ capacity: 1 });
    const other = await createPerson();
    await goTo(other, event.id);
    await bookSeats({ client: other.client, path: { id: event.id }, body: { seats: 1 } });
    await setRsvp({ client: guest.client, path: { id: event.id }, body: { status: 'interested' } });
    await page.goto(`/e/${event.id}`);
    await press(page, 'Join the waitlist');
    await expect(page.getByText(/on the waitlist/)).toBeVisible();
  });
});
