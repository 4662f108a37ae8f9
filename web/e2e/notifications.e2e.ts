/** The inbox and its settings. */
import {
  bookSeats,
  followUser,
  getNotificationSettings,
  listNotifications,
  markNotificationsRead,
  sendMessage,
  setRsvp,
  updateEvent,
} from '@potluck/client';
import { claim, expect, goTo, newEvent, newItem, overflowOf, type Person, test } from './fixtures.ts';

/** Waits for the inbox: notifications appear within seconds of their cause. */
const awaitUnread = ({ client }: Person, count: number) =>
  expect
    .poll(async () => (await listNotifications({ client })).data.unreadCount, { timeout: 15_000 })
    .toBe(count);

test('notifications: each is a sentence that leads to its page and is read then', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [me, other] = [await createPerson(), await createPerson('Noor Follower')];
  const event = await newEvent(other, { title: 'Moved dinner' });
  await goTo(me, event.id);
  await followUser({ client: other.client, path: { id: me.id } });
  await sendMessage({ client: other.client, path: { id: me.id }, body: { text: 'Hi' } });
  const location = { address: 'Another pier, Oslo', lat: 59.9, lng: 10.7 };
  await updateEvent({ client: other.client, path: { id: event.id }, body: { location } });
  await awaitUnread(me, 3);
  await signIn(context, me);
  await page.goto('/notifications');
  await expect(page.getByRole('navigation', { name: 'Main' }).getByLabel('3 unread')).toBeVisible();
  const changed = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Moved dinner' });
  await expect(changed).toContainText('The time or place has changed');
  await expect(changed).toContainText('New place: Another pier, Oslo (before: Aker Brygge, Oslo)');
  await expect(changed.locator('img')).toHaveAttribute('src', new RegExp(event.id));
  const sent = page.getByRole('link', { name: 'Noor Follower sent you a message' });
  const row = page.getByRole('listitem').filter({ has: sent });
  // The words are in the conversation.
  await expect(row).toContainText('Waiting for your reply');
  await expect(row).not.toContainText('Hi');
  await expect(sent).toHaveAttribute('href', `/messages/${other.id}#newest`);
  // What the service worker shows for a push
  const { data } = await listNotifications({ client: me.client });
  const id = data.data.find(({ kind }) => kind === 'message')?.id;
  const pushed = await page.request.get(`/notifications/push?id=${id}`);
  expect(await pushed.json()).toEqual({
    title: 'Noor Follower sent you a message',
    body: '',
    href: `/messages/${other.id}#newest`,
  });
  const opened = page.waitForResponse((response) => response.url().endsWith('/read'));
  await page.getByRole('link', { name: 'Noor Follower follows you' }).click();
  await expect(page).toHaveURL(`/u/${other.id}`);
  expect((await opened).ok()).toBe(true);
  await awaitUnread(me, 2);
  await sendMessage({ client: me.client, path: { id: other.id }, body: { text: 'See you there' } });
  await page.goto('/notifications');
  await expect(sent).toBeVisible();
  await expect(row).toContainText('You replied');
  await expect(row).not.toContainText('See you there');
});

test('notifications: followers of a day are one row, and all can be marked as read', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const me = await createPerson();
  for (const name of ['Ada One', 'Bela Two', 'Carl Three']) {
    const { client } = await createPerson(name);
    await followUser({ client, path: { id: me.id } });
  }
  await awaitUnread(me, 3);
  await signIn(context, me);
  await page.goto('/notifications');
  await expect(page.getByRole('heading', { name: 'Today' })).toBeVisible();
  const row = page.getByRole('main').getByRole('listitem');
  await expect(row).toHaveCount(1);
  await expect(row).toContainText(/\w+ \w+, \w+ \w+ and 1 other follow you/);
  // The numbers of the page, of its rows and of the navigation agree.
  await expect(row).toContainText('3 new');
  await expect(page.getByRole('status').filter({ hasText: '3 new' })).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Main' }).getByLabel('3 unread')).toBeVisible();
  await expect(row.getByRole('link', { name: 'See all 3' })).toHaveAttribute('href', `/u/${me.id}/followers`);
  expect(await overflowOf(page)).toBe(0);
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await expect(page.getByRole('button', { name: 'Mark all as read' })).toHaveCount(0);
  await expect(page.getByText('All caught up')).toBeVisible();
  await awaitUnread(me, 0);
});

test('notifications: the unread ones alone, several in sight on a phone', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const me = await createPerson();
  const event = await newEvent(me, { title: 'Harbour dinner' });
  const guest = await createPerson('Carla Guest');
  await goTo(guest, event.id);
  await awaitUnread(me, 1);
  const { data } = await listNotifications({ client: me.client });
  await markNotificationsRead({ client: me.client, body: { upTo: data.data[0]?.id ?? '' } });
  for (const name of ['Ada One', 'Bela Two', 'Carl Three'])
    await sendMessage({
      client: (await createPerson(name)).client,
      path: { id: me.id },
      body: { text: 'Is there an oven in the kitchen? I would like to warm the pie before we eat.' },
    });
  await awaitUnread(me, 3);
  await signIn(context, me);
  await page.goto('/notifications');
  const rows = page.getByRole('main').getByRole('list').getByRole('listitem');
  // What people wrote is one row, which leads to their conversations.
  await expect(rows).toHaveCount(2);
  const written = page.getByRole('link', { name: /^\w+ \w+, \w+ \w+ and 1 other wrote to you/ });
  await expect(written).toHaveAttribute('href', '/messages');
  await expect(rows.filter({ has: written })).toContainText('3 waiting for your reply');
  // The lines have the whole width of a phone: the time is at the end of the last one, or below it.
  const [sentence, time] = [await written.boundingBox(), await rows.first().getByRole('time').boundingBox()];
  expect(time?.y).toBeGreaterThanOrEqual((sentence?.y ?? 0) + (sentence?.height ?? 0) - 24);
  for (const row of await rows.all()) await expect(row).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole('link', { name: 'All', exact: true })).toHaveAttribute('aria-current', 'page');
  await page.getByRole('link', { name: 'Unread', exact: true }).click();
  await expect(page).toHaveURL('/notifications?unread=true');
  await expect(rows).toHaveCount(1);
  await expect(page.getByText('Carla Guest')).toHaveCount(0);
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await expect(rows).toHaveCount(2);
  await page.getByRole('link', { name: 'Unread', exact: true }).click();
  await expect(page.getByText('You have read everything.')).toBeVisible();
  expect(await overflowOf(page)).toBe(0);
});

test('notifications: one follower can be followed back there', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [me, other] = [await createPerson(), await createPerson('Dora Follower')];
  await followUser({ client: other.client, path: { id: me.id } });
  await awaitUnread(me, 1);
  await signIn(context, me);
  await page.goto('/notifications');
  await page.getByRole('button', { name: 'Follow back: Dora Follower' }).click();
  await expect(page.getByRole('button', { name: 'Follow back: Dora Follower' })).toHaveCount(0);
  const { data } = await listNotifications({ client: me.client });
  expect(data.data[0]?.isFollowing).toBe(true);
});

test('notifications: an organizer reads who replied, and what the answer is', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [me, guest] = [await createPerson(), await createPerson('Carla Guest')];
  const event = await newEvent(me, { title: 'Lake picnic' });
  await goTo(guest, event.id);
  await awaitUnread(me, 1);
  await signIn(context, me);
  await page.goto('/notifications');
  const row = page.getByRole('link', { name: 'Carla Guest is coming to Lake picnic' });
  await expect(row).toHaveAttribute('href', `/e/${event.id}`);
  await expect(
    page.getByRole('listitem').filter({ has: row }).getByText('Going', { exact: true }),
  ).toBeVisible();
  const second = await createPerson('Dino Guest');
  await setRsvp({ client: second.client, path: { id: event.id }, body: { status: 'interested' } });
  await expect(async () => {
    await page.reload();
    await expect(
      page.getByRole('link', { name: 'Dino Guest and 1 other replied to Lake picnic' }),
    ).toBeVisible({
      timeout: 500,
    });
  }).toPass();
});

test('notifications: what guests do at an event is one row, which the bell counts once', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [me, guest, other] = [
    await createPerson(),
    await createPerson('Carla Guest'),
    await createPerson('Dino Guest'),
  ];
  const event = await newEvent(me, { title: 'Choir night', capacity: 40 });
  const path = { id: event.id };
  await goTo(guest, event.id);
  await bookSeats({ client: guest.client, path, body: { seats: 3 } });
  await awaitUnread(me, 2);
  await signIn(context, me);
  await page.goto('/notifications');
  const rows = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Choir night' });
  await expect(rows).toHaveCount(1);
  // The bell and the page count rows.
  await expect(page.getByRole('navigation', { name: 'Main' }).getByLabel('1 unread')).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: '1 new' })).toBeVisible();
  await expect(rows).toContainText('Carla Guest is coming to Choir night');
  await expect(rows).toContainText('Going · 3 people');
  // What several guests do is one row, too, with what the event has in all.
  const bread = await newItem(me, event.id);
  await goTo(other, event.id);
  await bookSeats({ client: other.client, path, body: { seats: 2 } });
  await claim(other, bread.id);
  await expect(async () => {
    await page.reload();
    await expect(rows).toContainText('5 seats booked · 1 new item claimed', { timeout: 500 });
  }).toPass();
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText('Dino Guest and 1 other are coming to Choir night');
  await expect(page.getByRole('navigation', { name: 'Main' }).getByLabel('1 unread')).toBeVisible();
  await setRsvp({ client: guest.client, path, body: { status: 'interested' } });
  await expect(async () => {
    await page.reload();
    await expect(rows).toContainText('1 going · 1 maybe', { timeout: 500 });
  }).toPass();
  await expect(rows).toContainText('replied to Choir night');
});

test('notification settings: a level for each kind is kept', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const me = await createPerson();
  await signIn(context, me);
  await page.goto('/notifications');
  await page.getByRole('link', { name: 'Notification settings' }).click();
  await page.getByLabel('New followers').selectOption('Off');
  await page.getByLabel('Messages', { exact: true }).selectOption('In the list only');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  const { data } = await getNotificationSettings({ client: me.client });
  expect(data).toMatchObject({ follower: 'off', message: 'inbox', reminder: 'all' });
  await page.reload();
  await expect(page.getByLabel('New followers')).toHaveValue('off');
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('notifications: all can be marked as read with a form', async ({
    page,
    context,
    createPerson,
    signIn,
  }) => {
    const [me, other] = [await createPerson(), await createPerson()];
    await followUser({ client: other.client, path: { id: me.id } });
    await awaitUnread(me, 1);
    await signIn(context, me);
    await page.goto('/notifications');
    await page.getByRole('button', { name: 'Mark all as read' }).click();
    await expect(page.getByRole('button', { name: 'Mark all as read' })).toHaveCount(0);
    await awaitUnread(me, 0);
  });
});
