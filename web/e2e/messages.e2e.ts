/** Conversations between two people. */
import { blockUser, listConversations, listMessages, sendMessage } from '@potluck/client';
import { expect, goTo, newEvent, overflowOf, type Person, test } from './fixtures.ts';

const send = ({ client }: Person, { id }: Person, text: string) =>
  sendMessage({ client, path: { id }, body: { text } });
const textsOf = async ({ client }: Person, { id }: Person): Promise<string[]> =>
  (await listMessages({ client, path: { id } })).data.data.map(({ text }) => text);

test('messages: two browsers write to each other, and each sees the other without loading', async ({
  createPerson,
  openBrowser,
}) => {
  const [ada, bela] = [await createPerson('Ada Sender'), await createPerson('Bela Reader')];
  const [adasPage, belasPage] = [await openBrowser(ada), await openBrowser(bela)];
  await adasPage.goto(`/messages/${bela.id}`);
  await expect(adasPage.getByText('You have not written to each other yet.')).toBeVisible();
  await belasPage.goto(`/messages/${ada.id}`);
  await adasPage.getByLabel('Your message').fill('Shall I bring bread?');
  await adasPage.getByRole('button', { name: 'Send' }).click();
  await expect(adasPage.getByRole('log')).toContainText('Shall I bring bread?');
  await expect(adasPage.getByLabel('Your message')).toHaveValue('');
  const reply = belasPage.getByLabel('Your message');
  await reply.fill('Yes, plea');
  await expect(belasPage.getByRole('log')).toContainText('Shall I bring bread?', { timeout: 8_000 });
  // What is being written is neither lost nor sent.
  await expect(reply).toHaveValue('Yes, plea');
  await expect(reply).toBeFocused();
  await reply.fill('Yes, please!');
  await belasPage.getByRole('button', { name: 'Send' }).click();
  await expect(adasPage.getByRole('log')).toContainText('Yes, please!', { timeout: 8_000 });
  expect(await overflowOf(adasPage)).toBe(0);
});

test('messages: the list shows the newest text and what is unread; opening it marks it read', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [me, other] = [await createPerson(), await createPerson('Carla Writer')];
  await send(other, me, 'First');
  await send(other, me, 'Second');
  await signIn(context, me);
  await page.goto('/messages');
  const entry = page.getByRole('main').getByRole('listitem');
  await expect(entry).toContainText('2 unread');
  await expect(entry).toContainText('Second');
  const unread = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Messages' });
  await expect(unread.getByLabel('1 unread')).toBeVisible();
  await page.getByRole('link', { name: 'Carla Writer' }).click();
  await expect(page.getByRole('log').getByRole('listitem').last()).toContainText('Second');
  // A line stands where the unread ones begin, and stays when they are read.
  await expect(page.getByRole('log').getByRole('listitem').first()).toContainText('2 new');
  await expect
    .poll(async () => (await listConversations({ client: me.client })).data.data[0]?.unreadCount)
    .toBe(0);
  await expect(unread.getByLabel('1 unread')).toHaveCount(0);
  await expect(page.getByRole('log').getByRole('listitem').first()).toContainText('2 new');
});

for (const status of [200, 500])
  test(`messages: each message that arrives is marked as read once, also when the server answers with ${status}`, async ({
    page,
    context,
    createPerson,
    signIn,
  }) => {
    // The page loads again every four seconds.
    test.setTimeout(60_000);
    const [me, other] = [await createPerson(), await createPerson()];
    await send(other, me, 'Message 1');
    await signIn(context, me);
    let marks = 0;
    await page.route('**/messages/read', (route) => {
      marks++;
      return status === 200 ? route.fallback() : route.fulfill({ status });
    });
    await page.goto(`/messages/${other.id}`);
    for (const count of [1, 2]) {
      if (count > 1) await send(other, me, `Message ${count}`);
      await expect(page.getByRole('log')).toContainText(`Message ${count}`, { timeout: 15_000 });
      await expect.poll(() => marks, { timeout: 15_000 }).toBe(count);
      await expect
        .poll(async () => (await listConversations({ client: me.client })).data.data[0]?.unreadCount)
        .toBe(status === 200 ? 0 : count);
      // The visitor's own message is not marked, and neither is what was loaded again.
      await send(me, other, `Answer ${count}`);
      await expect(page.getByRole('log')).toContainText(`Answer ${count}`, { timeout: 15_000 });
      await page.waitForResponse(/__data\.json/);
      expect(marks).toBe(count);
    }
  });

test('messages: a reader of earlier messages stays there while the conversation is loaded again', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  test.setTimeout(60_000);
  const [me, other] = [await createPerson(), await createPerson()];
  for (let i = 1; i <= 30; i++) await send(other, me, `Message number ${i}.`);
  await signIn(context, me);
  await page.goto(`/messages/${other.id}`);
  const log = page.getByRole('log').getByRole('listitem');
  await expect(log.last()).toBeInViewport();
  await page.waitForResponse(/__data\.json/);
  await page.evaluate(() => scrollTo({ top: 0 }));
  for (let i = 0; i < 2; i++) await page.waitForResponse(/__data\.json/);
  await expect(log.first()).toBeInViewport();
  await send(other, me, 'The newest one.');
  await expect(log.last()).toContainText('The newest one.', { timeout: 15_000 });
  await expect(log.last()).toBeInViewport();
});

test('messages: the inbox has the people of the next events; those with a conversation are in the list alone', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [me, host, guest] = [
    await createPerson(),
    await createPerson('Hugo Host'),
    await createPerson('Greta Guest'),
  ];
  const theirs = await newEvent(host, { title: 'Supper at the mill' });
  const mine = await newEvent(me, { title: 'Brunch in the yard' });
  await goTo(me, theirs.id);
  await goTo(guest, mine.id);
  await signIn(context, me);
  await page.goto('/messages');
  const soon = page.getByRole('region', { name: 'You will meet soon' });
  await expect(soon.getByRole('listitem')).toHaveCount(2);
  await expect(soon.getByRole('listitem').filter({ hasText: 'Greta Guest' })).toContainText(
    'Brunch in the yard',
  );
  await soon.getByRole('link', { name: 'Hugo Host' }).click();
  await expect(page).toHaveURL(`/messages/${host.id}?event=${theirs.id}`);
  await expect(page.getByRole('main').getByRole('link', { name: 'Supper at the mill' })).toBeVisible();
  await page.getByLabel('Your message').fill('What shall I bring?');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByRole('log')).toContainText('What shall I bring?');
  await page.goto('/messages');
  await expect(soon.getByRole('listitem')).toHaveText(/Greta Guest/);
});

test('messages: a wide window has the other person and the event beside the conversation', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [me, host] = [await createPerson(), await createPerson('Helga Host')];
  const event = await newEvent(host, { title: 'Tea in the barn' });
  await goTo(me, event.id);
  await signIn(context, me);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`/messages/${host.id}`);
  const main = page.getByRole('main');
  await expect(main.getByRole('link', { name: 'Tea in the barn' })).toHaveCount(1);
  await expect(main.getByText("You're going")).toBeVisible();
  await expect(main.getByRole('link', { name: 'See the profile' })).toHaveAttribute('href', `/u/${host.id}`);
  expect(await overflowOf(page)).toBe(0);
});

test('messages: a wide window shows the list and the newest conversation; each text stays with its person', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [me, ada, bela] = [
    await createPerson(),
    await createPerson('Ada First'),
    await createPerson('Bela Last'),
  ];
  await send(ada, me, 'From Ada');
  await send(bela, me, 'From Bela');
  await signIn(context, me);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto('/messages');
  await expect(page).toHaveURL(`/messages/${bela.id}#newest`);
  await expect(page.getByRole('log')).toContainText('From Bela');
  await page.getByLabel('Your message').fill('For Bela');
  const list = page.getByRole('region', { name: 'Messages' });
  await list.getByRole('link', { name: 'Ada First' }).click();
  await expect(page.getByRole('log')).toContainText('From Ada');
  await expect(page.getByLabel('Your message')).toHaveValue('');
  await page.getByLabel('Your message').fill('For Ada');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(list.getByRole('listitem').filter({ hasText: 'Ada First' })).toContainText('For Ada');
  expect(await textsOf(me, ada)).toEqual(['For Ada', 'From Ada']);
  expect(await textsOf(me, bela)).toEqual(['From Bela']);
  expect(await overflowOf(page)).toBe(0);
});

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test('messages: the event whose organizer a guest writes to stays above the messages', async ({
      page,
      context,
      createPerson,
      signIn,
    }) => {
      const [me, host] = [await createPerson(), await createPerson('Hilda Host')];
      const event = await newEvent(host, { title: 'Supper by the lake' });
      await signIn(context, me);
      await page.goto(`/e/${event.id}`);
      await page.getByRole('link', { name: 'Message', exact: true }).click();
      const back = page.getByRole('main').locator('header').getByRole('link', { name: 'Supper by the lake' });
      await expect(back).toBeVisible();
      await page.getByLabel('Your message').fill('May I bring my dog?');
      await page.getByRole('button', { name: 'Send' }).click();
      await expect(page.getByRole('log')).toContainText('May I bring my dog?');
      await back.click();
      await expect(page).toHaveURL(`/e/${event.id}`);
    });
  });
}

test('messages: the next event of the other person to which the visitor goes stands above the messages', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [me, host] = [await createPerson(), await createPerson('Hanna Host')];
  const event = await newEvent(host, { title: 'Breakfast on the roof' });
  await newEvent(host, { title: 'Another breakfast' });
  await signIn(context, me);
  await page.goto(`/messages/${host.id}`);
  const main = page.getByRole('main');
  await expect(main.getByRole('heading', { name: 'Hanna Host' })).toBeVisible();
  await expect(main.getByRole('link', { name: /breakfast/i })).toHaveCount(0);
  await goTo(me, event.id);
  await page.reload();
  await expect(main.getByRole('link', { name: /breakfast/i })).toHaveText('Breakfast on the roof');
});

test('messages: messages of one moment have one heading; each of the other person can be reported by keyboard', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [me, other] = [await createPerson(), await createPerson('Edda Writer')];
  for (const [from, to, text] of [
    [other, me, 'One'],
    [me, other, 'Two'],
    [other, me, 'Three'],
  ] as const)
    await send(from, to, text);
  await signIn(context, me);
  await page.goto(`/messages/${other.id}`);
  await expect(page.getByRole('log').getByText('Today')).toHaveCount(1);
  const report = page.getByRole('link', { name: 'Report this message' });
  await expect(report).toHaveCount(0);
  await page.getByRole('log').locator('summary').last().focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect(report).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/report\?type=message&id=/);
  await page.goBack();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('link', { name: 'Report Edda Writer' }).click();
  await expect(page).toHaveURL(`/report?type=user&id=${other.id}`);
});

test('messages: older ones are a link away, the newest are at the bottom', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [me, other] = [await createPerson(), await createPerson()];
  for (let i = 1; i <= 52; i++) await send(other, me, `Message number ${i}.`);
  await signIn(context, me);
  await page.goto(`/messages/${other.id}`);
  const log = page.getByRole('log');
  await expect(log.getByRole('listitem').last()).toContainText('Message number 52.');
  await expect(log.getByRole('listitem').last()).toBeInViewport();
  await expect(log.getByRole('listitem').first()).toContainText('Message number 3.');
  await page.getByRole('link', { name: 'Older messages' }).click();
  await expect(log.getByRole('listitem')).toHaveCount(2);
  await page.getByRole('link', { name: 'To the newest messages' }).click();
  await expect(log.getByRole('listitem')).toHaveCount(50);
});

test('messages: a lost response and a second attempt send one message', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [me, other] = [await createPerson(), await createPerson()];
  await signIn(context, me);
  await page.goto(`/messages/${other.id}`);
  let isLost = false;
  await page.route('**/messages/**', async (route) => {
    if (route.request().method() !== 'POST' || isLost || route.request().url().includes('/v1/'))
      return route.continue();
    isLost = true;
    await route.fetch();
    return route.abort();
  });
  await page.getByLabel('Your message').fill('Only once');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByRole('alert')).toContainText('Please try again.');
  await expect(page.getByLabel('Your message')).toHaveValue('Only once');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByLabel('Your message')).toHaveValue('');
  expect(await textsOf(me, other)).toEqual(['Only once']);
});

test('messages: a block of the other person is explained, and the text is kept', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [me, other] = [await createPerson(), await createPerson()];
  await signIn(context, me);
  await page.goto(`/messages/${other.id}`);
  await blockUser({ client: other.client, path: { id: me.id } });
  await page.getByLabel('Your message').fill('Are you there?');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByRole('alert')).toContainText('blocks the other');
  await expect(page.getByLabel('Your message')).toHaveValue('Are you there?');
});

test('messages: someone whom the visitor blocked can be unblocked there', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [me, other] = [await createPerson(), await createPerson('Dario Blocked')];
  await blockUser({ client: me.client, path: { id: other.id } });
  await signIn(context, me);
  await page.goto(`/messages/${other.id}`);
  await expect(page.getByText('You have blocked Dario Blocked.')).toBeVisible();
  await page.getByRole('button', { name: 'Unblock' }).click();
  await expect(page.getByLabel('Your message')).toBeVisible();
});

test('messages: visitors sign in first, and come back', async ({ page, createPerson }) => {
  const other = await createPerson();
  await page.goto(`/messages/${other.id}`);
  await expect(page).toHaveURL(`/sign-in?next=${encodeURIComponent(`/messages/${other.id}`)}`);
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('messages: send and mark as read work with forms alone', async ({
    page,
    context,
    createPerson,
    signIn,
  }) => {
    const [me, other] = [await createPerson(), await createPerson()];
    await send(other, me, 'Hello');
    await signIn(context, me);
    await page.goto(`/messages/${other.id}`);
    await page.getByRole('button', { name: 'Mark as read' }).click();
    expect((await listConversations({ client: me.client })).data.data[0]?.unreadCount).toBe(0);
    await page.getByLabel('Your message').fill('Hello\nyourself');
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(page.getByRole('log').getByRole('listitem').last()).toContainText('Hello yourself');
    await expect(page.getByLabel('Your message')).toHaveValue('');
    expect(await textsOf(me, other)).toEqual(['Hello\nyourself', 'Hello']);
  });
});

test('messages: Enter sends where a mouse is at hand, Shift and Enter begin a line; the reader sees which event it is about', async ({
  createPerson,
  openBrowser,
}) => {
  const [guest, organizer] = [await createPerson(), await createPerson()];
  const event = await newEvent(organizer, { title: 'Harbour potluck' });
  const page = await openBrowser(guest);
  await page.goto(`/messages/${organizer.id}?event=${event.id}`);
  const field = page.getByLabel('Your message');
  await field.fill('Is there');
  await field.press('Shift+Enter');
  await field.pressSequentially('parking?');
  await field.press('Enter');
  await expect(page.getByRole('log')).toContainText('parking?');
  expect(await textsOf(organizer, guest)).toEqual(['Is there\nparking?']);
  const reader = await openBrowser(organizer);
  await reader.goto(`/messages/${guest.id}`);
  await expect(reader.getByRole('log').getByRole('link', { name: 'Harbour potluck' })).toHaveAttribute(
    'href',
    `/e/${event.id}`,
  );
});
