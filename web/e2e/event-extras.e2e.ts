/** The page of an event besides the RSVP and the list: calendar, saving, sharing, seats, guests and metadata. */

import type { Locator, Page } from '@playwright/test';
import { bookSeats, cancelBooking, getEvent, updateEvent } from '@potluck/client';
import jsQR from 'jsqr';
import sharp from 'sharp';
import { openEvent, signUpHere } from './event-steps.ts';
import {
  claim,
  collectErrors,
  expect,
  goTo,
  newEvent,
  newItem,
  overflowOf,
  type Person,
  test,
} from './fixtures.ts';

const book = ({ client }: Person, id: string, seats = 1) =>
  bookSeats({ client, path: { id }, body: { seats, waitlist: true } });

/** The text of a QR code on the page. */
async function decode(code: Locator): Promise<string | undefined> {
  const image = sharp(await code.screenshot()).ensureAlpha();
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return jsQR(new Uint8ClampedArray(data), info.width, info.height)?.data;
}

const jsonLdOf = async (page: Page): Promise<Record<string, unknown>> =>
  JSON.parse((await page.locator('script[type="application/ld+json"]').textContent()) ?? '') as Record<
    string,
    unknown
  >;

const answer = (page: Page) => page.getByRole('region', { name: 'Are you coming?' });

test('seats: "I\'m going" takes them, the number can be changed, and "Can\'t go" gives them back', async ({
  page,
  createPerson,
  signIn,
  context,
}) => {
  const { id } = await newEvent(await createPerson(), { capacity: 4 });
  const guest = await createPerson();
  await signIn(context, guest);
  await openEvent(page, { id });
  await expect(answer(page)).toContainText('4 of 4 seats left');
  await page.getByLabel('How many of you?').selectOption('2 people');
  await page.getByRole('button', { name: "I'm going" }).click();
  await expect(answer(page).getByRole('status').first()).toContainText("You're going 2 seats are yours.");
  await expect(page.getByText('2 of 4 seats taken')).toBeVisible();
  const { data } = await getEvent({ client: guest.client, path: { id } });
  expect(data).toMatchObject({ myRsvp: 'going', myExtraGuests: 1, partyCount: 2, bookedCount: 2 });
  for (const seats of [3, 4]) {
    await page.getByRole('button', { name: 'One more' }).click();
    await expect(answer(page)).toContainText(`${seats} seats are yours.`);
  }
  await expect(page.getByRole('button', { name: 'One more' })).toBeDisabled();
  await expect(page.getByRole('button', { name: 'One more' })).toBeFocused();
  await page.getByRole('button', { name: "Can't go" }).click();
  await expect(answer(page)).toContainText("You're not going any more.");
  await expect(answer(page)).toContainText('4 of 4 seats left');
  const after = await getEvent({ client: guest.client, path: { id } });
  expect(after.data).toMatchObject({ myRsvp: null, myBooking: null, partyCount: 0, bookedCount: 0 });
});

test('seats: a full event has a waitlist, which shows the position and becomes a booking', async ({
  page,
  createPerson,
  signIn,
  context,
}) => {
  const { id } = await newEvent(await createPerson(), { capacity: 1 });
  const first = await createPerson();
  await book(first, id);
  const visitor = await createPerson();
  await signIn(context, visitor);
  await page.goto(`/e/${id}`);
  await expect(answer(page)).toContainText('All seats are taken.');
  await page.getByRole('button', { name: 'Join the waitlist' }).click();
  await expect(answer(page)).toContainText('You are number 1 on the waitlist.');
  await expect(page.getByText("You're going")).toHaveCount(0);
  await cancelBooking({ client: first.client, path: { id } });
  await page.reload();
  await expect(answer(page)).toContainText("You're going 1 seat is yours.");
  await expect(page.getByText('1 of 1 seat taken')).toBeVisible();
});

test('seats: a place in the waitlist can be given up', async ({ page, createPerson, signIn, context }) => {
  const { id } = await newEvent(await createPerson(), { capacity: 1 });
  await book(await createPerson(), id);
  const visitor = await createPerson();
  await book(visitor, id);
  await signIn(context, visitor);
  await page.goto(`/e/${id}`);
  await page.getByRole('button', { name: 'Leave the waitlist' }).click();
  await expect(page.getByRole('button', { name: 'Join the waitlist' })).toBeVisible();
  const { data } = await getEvent({ client: visitor.client, path: { id } });
  expect(data).toMatchObject({ myRsvp: null, myWaitlist: null });
});

test('seats: a race for the last one is explained, and the visitor may join the waitlist', async ({
  page,
  createPerson,
  signIn,
  context,
}) => {
  const { id } = await newEvent(await createPerson(), { capacity: 1 });
  const guest = await createPerson();
  await signIn(context, guest);
  await page.route('**/live', (route) => route.abort());
  await openEvent(page, { id });
  await book(await createPerson(), id);
  await page.getByRole('button', { name: "I'm going" }).click();
  await expect(answer(page).getByRole('alert')).toHaveText(
    'The last seat went a moment ago. Join the waitlist?',
  );
  const { data } = await getEvent({ client: guest.client, path: { id } });
  expect(data.myRsvp).toBeNull();
  await page.getByRole('button', { name: 'Join the waitlist' }).click();
  await expect(answer(page)).toContainText('You are number 1 on the waitlist.');
});

test('seats: a party for which there are too few is not split, and its number stays chosen', async ({
  page,
  createPerson,
  signIn,
  context,
}) => {
  const { id } = await newEvent(await createPerson(), { capacity: 3 });
  await book(await createPerson(), id, 2);
  await signIn(context, await createPerson());
  await page.goto(`/e/${id}`);
  await page.getByLabel('How many of you?').selectOption('2 people');
  await page.getByRole('button', { name: "I'm going" }).click();
  await expect(answer(page).getByRole('alert')).toContainText('Only 1 seat is left.');
  await expect(page.getByLabel('How many of you?')).toHaveValue('2');
  await page.getByLabel('How many of you?').selectOption('1 person');
  await page.getByRole('button', { name: 'Join the waitlist' }).click();
  await expect(answer(page)).toContainText("You're going 1 seat is yours.");
});

test('seats: a booking without an RSVP reads as going, and "I\'m going" adds the RSVP with its people', async ({
  createPerson,
  openBrowser,
}) => {
  const { id } = await newEvent(await createPerson(), { capacity: 3 });
  const guest = await createPerson();
  await book(guest, id, 2);
  const page = await openBrowser(guest);
  await openEvent(page, { id });
  await expect(answer(page)).toContainText("You're going 2 seats are yours.");
  await page.getByRole('button', { name: "I'm going" }).click();
  await expect
    .poll(async () => (await getEvent({ client: guest.client, path: { id } })).data.myRsvp)
    .toBe('going');
  expect((await getEvent({ client: guest.client, path: { id } })).data.partyCount).toBe(2);
});

test('seats: a person with an RSVP and no seat reads so, and gets one', async ({
  page,
  createPerson,
  signIn,
  context,
}) => {
  const { id } = await newEvent(await createPerson(), { capacity: 3 });
  const guest = await createPerson();
  await goTo(guest, id);
  await signIn(context, guest);
  await page.goto(`/e/${id}`);
  await expect(answer(page)).toContainText('You want to come, but you have no seat yet.');
  await page.getByRole('button', { name: "I'm going" }).click();
  await expect(answer(page)).toContainText("You're going 1 seat is yours.");
});

test('calendar: the file of the event has its title and leads to its page', async ({
  page,
  baseURL,
  createPerson,
}) => {
  const { id } = await newEvent(await createPerson());
  await page.goto(`/e/${id}`);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Add to calendar' }).click();
  for (const [name, address] of [
    ['Google', /^https:\/\/calendar\.google\.com\/.*text=Harbour\+potluck/],
    ['Outlook', /^https:\/\/outlook\.live\.com\/.*subject=Harbour\+potluck/],
    ['Apple', /^webcal:\/\/.*calendar\.ics$/],
  ] as const)
    await expect(page.getByRole('link', { name })).toHaveAttribute('href', address);
  await page.getByRole('link', { name: 'Calendar file' }).click();
  expect((await download).suggestedFilename()).toMatch(/\.ics$/);
  const file = await (await page.request.get(`/v1/events/${id}/calendar.ics`)).text();
  expect(file).toContain('SUMMARY:Harbour potluck');
  expect(file.replaceAll('\r\n ', '')).toContain(`${baseURL}/e/${id}`);
});

test('save: an event is saved and stays saved', async ({ page, createPerson, signIn, context }) => {
  const { id } = await newEvent(await createPerson());
  await signIn(context, await createPerson());
  await page.goto(`/e/${id}`);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Saved' })).toHaveAttribute('aria-pressed', 'true');
  await page.reload();
  await page.getByRole('button', { name: 'Saved' }).click();
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeVisible();
});

test('share: the link is copied where the system has no dialog for it', async ({
  page,
  baseURL,
  createPerson,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.addInitScript(() => Object.defineProperty(navigator, 'share', { value: undefined }));
  const { id } = await newEvent(await createPerson());
  await openEvent(page, { id });
  await page.getByRole('link', { name: 'Share' }).click();
  await expect(page.getByText('Link copied')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${baseURL}/e/${id}`);
  await expect(page).toHaveURL(`/e/${id}`);
});

test('share: the dialog of the system gets the title and the link', async ({
  page,
  baseURL,
  createPerson,
}) => {
  await page.addInitScript(() => {
    const share = async (data: ShareData) => void Object.assign(window, { shared: data });
    Object.defineProperty(navigator, 'share', { value: share });
  });
  const { id, title } = await newEvent(await createPerson());
  await openEvent(page, { id });
  await page.getByRole('link', { name: 'Share' }).click();
  await expect
    .poll(() => page.evaluate(() => (window as Window & { shared?: ShareData }).shared))
    .toEqual({ title, url: `${baseURL}/e/${id}` });
});

/** The link of an event, as the page to share it shows it: without the protocol and most of the id. */
const shortLink = (id: string, baseURL: string | undefined) =>
  `${baseURL}/e/…${id.slice(-4)}`.replace('http://', '');

test('QR code: decodes to the link of the event', async ({ page, baseURL, createPerson }) => {
  const { id } = await newEvent(await createPerson());
  await page.goto(`/e/${id}`);
  await page.getByRole('link', { name: 'QR code' }).click();
  await expect(page.getByLabel('Link to the event')).toHaveValue(shortLink(id, baseURL));
  expect(await decode(page.getByRole('img', { name: 'QR code' }))).toBe(`${baseURL}/e/${id}`);
  expect(await overflowOf(page)).toBe(0);
});

test('share page: "Copy link" copies the whole link, as does its field, which shows one line of it', async ({
  page,
  baseURL,
  createPerson,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.setViewportSize({ width: 360, height: 780 });
  const { id } = await newEvent(await createPerson());
  await page.goto(`/e/${id}/share`);
  await page.getByRole('button', { name: 'Copy link' }).click();
  await expect(page.getByText('Copied', { exact: true })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${baseURL}/e/${id}`);
  const field = page.getByLabel('Link to the event');
  await expect(field).toHaveValue(shortLink(id, baseURL));
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await field.focus();
  await page.keyboard.press('ControlOrMeta+c');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${baseURL}/e/${id}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Share');
  expect(await overflowOf(page)).toBe(0);
});

test('published: the organizer is offered to share it before anything else', async ({
  page,
  createPerson,
  openBrowser,
}) => {
  const organizer = await createPerson();
  const { id } = await newEvent(organizer);
  const own = await openBrowser(organizer);
  await own.goto(`/e/${id}?published`);
  const next = own.getByRole('region', { name: 'Your event is live' });
  for (const [name, address] of [
    ['Share', `/e/${id}/share`],
    ['QR code', `/e/${id}/share#code`],
    ['Copy link', `/e/${id}/share`],
  ] as const)
    await expect(next.getByRole('link', { name })).toHaveAttribute('href', address);
  await expect(own.getByText('Are you coming?')).toHaveCount(0);
  await page.goto(`/e/${id}?published`);
  await expect(page.getByRole('region', { name: 'Your event is live' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: "I'm going" })).toBeVisible();
});

test('changed: the organizer reads what changed, and how many people are notified', async ({
  createPerson,
  openBrowser,
}) => {
  const organizer = await createPerson();
  const { id } = await newEvent(organizer);
  for (let i = 0; i < 2; i++) await goTo(await createPerson(), id);
  const own = await openBrowser(organizer);
  await own.goto(`/e/${id}/edit`);
  await own.getByLabel('Starts at').fill('17:15');
  await own.getByRole('button', { name: 'Save', exact: true }).click();
  const notice = own.getByRole('region', { name: 'Saved' });
  // The first search for a place loads the towns.
  await expect(notice).toContainText(/New time: .*17:15/, { timeout: 20_000 });
  await expect(notice).toContainText('2 people who answered are being notified.');
  await expect(notice).not.toContainText('New place');
});

test('push: is offered once after the first answer, where it is possible, and "No, thanks" ends it', async ({
  page,
  createPerson,
  signIn,
  context,
}) => {
  await page.addInitScript(() => {
    const registration = { pushManager: { getSubscription: async () => null } };
    Object.defineProperty(navigator.serviceWorker, 'getRegistration', { value: async () => registration });
    Object.assign(window, { PushManager: class {}, Notification: { permission: 'default' } });
  });
  await page.route('**/v1/push/key', (route) => route.fulfill({ json: { publicKey: 'key' } }));
  const { id } = await newEvent(await createPerson());
  await signIn(context, await createPerson());
  await openEvent(page, { id });
  const offer = page.getByText('Shall we tell you here if the time or the place changes');
  await expect(offer).toHaveCount(0);
  await page.getByRole('button', { name: "I'm going" }).click();
  await expect(offer).toBeVisible();
  await page.getByRole('button', { name: 'No, thanks' }).click();
  await expect(offer).toHaveCount(0);
  await openEvent(page, { id });
  await expect(answer(page)).toContainText("You're going");
  await page.getByRole('button', { name: 'One more' }).click();
  await expect(answer(page)).toContainText('with 1 guest');
  await expect(offer).toHaveCount(0);
});

test('share page: offers the link by several ways, the text to send, and a poster with the address', async ({
  page,
  baseURL,
  createPerson,
}) => {
  const { id, title } = await newEvent(await createPerson());
  await page.goto(`/e/${id}/share`);
  const link = `${baseURL}/e/${id}`;
  for (const [name, start] of [
    ['WhatsApp', 'https://wa.me/?text='],
    ['Telegram', 'https://t.me/share/url?url='],
    ['SMS', 'sms:?&body='],
    ['E-mail', 'mailto:?subject='],
  ] as const) {
    const address = (await page.getByRole('link', { name }).getAttribute('href')) ?? '';
    expect(address.startsWith(start), address).toBe(true);
    expect(decodeURIComponent(address)).toContain(link);
  }
  await expect(page.getByLabel('Text to send')).toHaveValue(new RegExp(`^${title}\n[^]*${link}$`));
  await expect(page.getByRole('button', { name: 'Copy link' })).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('img', { name: 'QR code' })).toBeVisible();
  await expect(page.getByText(title, { exact: true }).last()).toBeVisible();
  await expect(page.getByText('Aker Brygge, Oslo', { exact: true })).toBeVisible();
  await expect(page.getByRole('button')).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1 })).toBeHidden();
});

test('cancelled event: says so, and tells nobody that they are going, have seats or bring something', async ({
  page,
  createPerson,
  signIn,
  context,
}) => {
  const organizer = await createPerson();
  const { id } = await newEvent(organizer, { capacity: 5 });
  const item = await newItem(organizer, id);
  const guest = await createPerson();
  await book(guest, id, 2);
  await goTo(guest, id);
  await claim(guest, item.id);
  await updateEvent({ client: organizer.client, path: { id }, body: { status: 'cancelled' } });
  await signIn(context, guest);
  await page.goto(`/e/${id}`);
  await expect(page.getByRole('alert')).toContainText('This event is cancelled.');
  await expect(page.getByRole('alert')).toContainText('nothing is expected of you');
  const button = page.getByRole('button', { name: "I'm going" });
  await expect(button).toBeDisabled();
  await expect(button).toHaveAccessibleDescription(/This event is cancelled/);
  for (const place of [`/e/${id}`, '/mine', '/mine?tab=claims']) {
    await page.goto(place);
    for (const text of ["You're going", 'seats are yours', 'You bring'])
      await expect(page.getByRole('main').getByText(text)).toHaveCount(0);
  }
});

test('past event: says so, and offers no RSVP, claim and booking; what a guest has can be given back', async ({
  page,
  createPerson,
  openBrowser,
}) => {
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const organizer = await createPerson();
  const { id } = await newEvent(organizer, { startAt: day(-2), endAt: day(-1), capacity: 5 });
  const item = await newItem(organizer, id);
  await page.goto(`/e/${id}`);
  await expect(page.getByText('This event is over.').first()).toBeVisible();
  for (const name of ["I'm going", 'Maybe']) {
    const button = page.getByRole('button', { name, exact: true });
    await expect(button).toBeDisabled();
    await expect(button).toHaveAccessibleDescription(/^This event is over/);
  }
  await expect(page.getByRole('heading', { name: 'Sourdough bread' })).toBeVisible();
  await expect(page.getByRole('button', { name: /^Bring/ })).toHaveCount(0);
  await expect(page.getByText('we also note that')).toHaveCount(0);

  const guest = await createPerson();
  await goTo(guest, id);
  await claim(guest, item.id);
  const own = await openBrowser(guest);
  await own.goto(`/e/${id}`);
  await expect(own.getByRole('button', { name: /^Change/ })).toHaveCount(0);
  await own.getByRole('button', { name: 'Give back Sourdough bread' }).click();
  await expect(own.getByText('3 still needed')).toBeVisible();
  await own.getByRole('button', { name: "Can't go" }).click();
  await expect(own.getByText("You're not going any more.")).toBeVisible();
});

test('draft: others get a friendly 404, its organizer sees it', async ({
  page,
  createPerson,
  openBrowser,
}) => {
  const organizer = await createPerson();
  const { id } = await newEvent(organizer, { visibility: 'private' });
  const response = await page.goto(`/e/${id}`);
  expect(response?.status()).toBe(404);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('This page does not exist');
  await expect(page.getByRole('link', { name: 'Discover' })).toBeVisible();
  expect(await page.content()).not.toContain('Harbour potluck');
  const own = await openBrowser(organizer);
  await own.goto(`/e/${id}`);
  await expect(own.getByText('This event is private: only people who are invited see it.')).toBeVisible();
});

test('unlisted event: search engines are asked not to index it, and may index a public one', async ({
  page,
  createPerson,
}) => {
  const organizer = await createPerson();
  const unlisted = await newEvent(organizer, { visibility: 'unlisted' });
  await page.goto(`/e/${unlisted.id}`);
  await expect(page.locator('meta[name=robots]')).toHaveAttribute('content', 'noindex');
  const listed = await newEvent(organizer);
  await page.goto(`/e/${listed.id}`);
  await expect(page.locator('meta[name=robots]')).toHaveCount(0);
});

test('guests: shown with a link to each, where the organizer lets everyone see them', async ({
  page,
  createPerson,
}) => {
  const organizer = await createPerson();
  const { id } = await newEvent(organizer, { guestListVisibility: 'everyone' });
  const hidden = await newEvent(organizer);
  const guests = await Promise.all(Array.from({ length: 9 }, (_, i) => createPerson(`Guest ${i}`)));
  for (const guest of guests) await goTo(guest, id);
  await goTo(await createPerson('Someone'), hidden.id);
  await page.goto(`/e/${id}`);
  const list = page.getByRole('region', { name: 'Who is coming' });
  await expect(list.getByRole('listitem')).toHaveCount(8);
  await expect(list.getByRole('link', { name: 'Guest' }).first()).toHaveAttribute('href', /^\/u\//);
  await list.getByRole('link', { name: 'Show all guests' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Who is coming' })).toBeVisible();
  await expect(page.getByRole('heading', { level: 2, name: '9 going' })).toBeVisible();
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(9);
  await page.goto(`/e/${hidden.id}`);
  await expect(list).toContainText('1 going');
  await expect(list.getByRole('link')).toHaveCount(0);
  await expect(page.getByText('Someone')).toHaveCount(0);
});

test('organizer: links to the pages that manage the event, for the organizer alone', async ({
  page,
  createPerson,
  openBrowser,
}) => {
  const organizer = await createPerson();
  const { id } = await newEvent(organizer);
  const own = await openBrowser(organizer);
  await own.goto(`/e/${id}`);
  const nav = own.getByRole('navigation', { name: 'Manage this event' });
  await expect(nav.getByRole('link', { name: 'Edit' })).toBeInViewport({ ratio: 1 });
  await nav.getByRole('button').click();
  for (const [name, path] of [
    ['Edit', 'edit'],
    ['Guests', 'guest-list'],
    ['Share', 'share'],
    ['Who brings what', 'bring'],
    ['Bookings', 'bookings'],
    ['Duplicate', 'duplicate'],
    ['Repeat', 'repeat'],
    ['Cancel the event', 'cancel'],
  ]) {
    await expect(nav.getByRole('link', { name, exact: true })).toHaveAttribute('href', `/e/${id}/${path}`);
  }
  expect(await overflowOf(own)).toBe(0);
  await page.goto(`/e/${id}`);
  await expect(page.getByRole('navigation', { name: 'Manage this event' })).toHaveCount(0);
});

test('metadata: JSON-LD is valid with any title, and the policy of the page refuses nothing', async ({
  page,
  baseURL,
  createPerson,
}) => {
  const title = '</script><script>alert(1)</script><!-- "Soup" & more';
  const { id } = await newEvent(await createPerson(), { title, price: 5, currency: 'NOK' });
  const errors = collectErrors(page);
  await openEvent(page, { id });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);
  const data = await jsonLdOf(page);
  expect(data).toMatchObject({
    '@context': 'https://schema.org',
    '@type': 'Event',
    name: title,
    url: `${baseURL}/e/${id}`,
    eventStatus: 'https://schema.org/EventScheduled',
    location: { '@type': 'Place', address: 'Aker Brygge, Oslo' },
    offers: { price: 5, priceCurrency: 'NOK' },
  });
  await expect(page.locator('link[rel=canonical]')).toHaveAttribute('href', `${baseURL}/e/${id}`);
  expect(errors).toEqual([]);
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('share: leads to a field with the link', async ({ page, baseURL, createPerson }) => {
    const { id } = await newEvent(await createPerson());
    await page.goto(`/e/${id}`);
    await page.getByRole('link', { name: 'Share' }).click();
    await expect(page.getByLabel('Link to the event')).toHaveValue(
      `${baseURL}/e/${id}`.replace('http://', ''),
    );
  });

  test('seats and saving work with forms alone', async ({ page, createPerson, signIn, context }) => {
    const { id } = await newEvent(await createPerson(), { capacity: 5 });
    await signIn(context, await createPerson());
    await page.goto(`/e/${id}`);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
    await page.getByLabel('How many of you?').selectOption('3 people');
    await page.getByRole('button', { name: "I'm going" }).click();
    await expect(answer(page)).toContainText('3 seats are yours.');
    await page.getByRole('button', { name: 'One fewer' }).click();
    await expect(answer(page)).toContainText('2 seats are yours.');
  });

  test('seats: signed out, the number of people and the waitlist survive the sign-in', async ({
    page,
    createPerson,
  }) => {
    const { id } = await newEvent(await createPerson(), { capacity: 3 });
    await page.goto(`/e/${id}`);
    await page.getByLabel('How many of you?').selectOption('3 people');
    await page.getByRole('button', { name: "I'm going" }).click();
    await signUpHere(page, false);
    await expect(answer(page)).toContainText("You're going 3 seats are yours.");

    await page.context().clearCookies();
    await page.goto(`/e/${id}`);
    await page.getByRole('button', { name: 'Join the waitlist' }).click();
    await expect(page.getByText(/put you on the waitlist: Harbour potluck/)).toBeVisible();
    await signUpHere(page, false);
    await expect(answer(page)).toContainText('You are number 1 on the waitlist.');
  });

  test('preview: a PNG of 1200 × 630, also with an Arabic title, an emoji and a long one', async ({
    page,
    createPerson,
  }) => {
    const organizer = await createPerson();
    for (const title of ['Harbour potluck', 'عشاء مشترك في الميناء 🍲', '🍲', `${'Long '.repeat(27)}<&>`]) {
      const { id } = await newEvent(organizer, { title });
      await page.goto(`/e/${id}`);
      const image = page.locator('meta[property="og:image"]');
      const address = (await image.getAttribute('content')) ?? '';
      const response = await page.request.get(address);
      expect(response.headers()['content-type']).toBe('image/png');
      const { format, width, height } = await sharp(await response.body()).metadata();
      expect({ format, width, height }).toEqual({ format: 'png', width: 1200, height: 630 });
      const etag = response.headers().etag ?? '';
      const again = await page.request.get(address, { headers: { 'if-none-match': etag } });
      expect(again.status()).toBe(304);
    }
  });

  test('preview: 404 for a draft', async ({ page, createPerson }) => {
    const { id } = await newEvent(await createPerson(), { visibility: 'private' });
    expect((await page.request.get(`/e/${id}/preview.png`)).status()).toBe(404);
  });
});
