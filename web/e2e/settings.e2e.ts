/** Settings, sessions, and the end of sessions and accounts. */
import { readFile } from 'node:fs/promises';
import { blockUser, endSession, getMe, listSessions, suspendAccount, updateMe } from '@potluck/client';
import { expect, newAdmin, overflowOf, readCode, test } from './fixtures.ts';

/** A picture of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

test('settings: the profile is saved; a username that is taken is explained at its field', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [me, other] = [await createPerson(), await createPerson()];
  const taken = `taken_${crypto.randomUUID().slice(0, 8)}`;
  await updateMe({ client: other.client, body: { username: taken } });
  await signIn(context, me);
  await page.goto('/settings/profile');
  await page.getByLabel('Name', { exact: true }).fill('New Name');
  await page.getByLabel('About you').fill('I bake.');
  // What others will see, before it is saved.
  const preview = page.getByRole('region', { name: 'How others see you' });
  await expect(preview).toContainText('New Name');
  await expect(preview).toContainText('I bake.');
  await page.getByLabel('City').fill('Bergen');
  await page.getByLabel('Username').fill(taken);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByLabel('Username')).toHaveAccessibleDescription(/This name is taken\./);
  await expect(page.getByLabel('City')).toHaveValue('Bergen');
  const free = `free_${crypto.randomUUID().slice(0, 8)}`;
  await page.getByLabel('Username').fill(free);
  await page.getByRole('switch', { name: 'Private profile' }).check();
  await expect(preview).toContainText(`@${free}`);
  await expect(preview).toContainText('Only people whom you follow see this.');
  await expect(preview).not.toContainText('Bergen');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  await expect(preview).toContainText('New Name');
  const { data } = await getMe({ client: me.client });
  expect(data).toMatchObject({
    name: 'New Name',
    bio: 'I bake.',
    city: 'Bergen',
    username: free,
    isPrivate: true,
  });
  expect(await overflowOf(page)).toBe(0);
});

test('settings: a picture is uploaded and removed; 11 MiB and other files are refused kindly', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const me = await createPerson();
  await signIn(context, me);
  await page.goto('/settings/profile');
  const field = page.getByLabel('Change picture');
  await field.setInputFiles({
    name: 'big.png',
    mimeType: 'image/png',
    buffer: Buffer.alloc(11 * 1024 * 1024),
  });
  await expect(page.getByRole('alert')).toContainText('10 MB');
  await field.setInputFiles({ name: 'text.png', mimeType: 'image/png', buffer: Buffer.from('no image') });
  await expect(page.getByRole('alert')).toContainText('not an image');
  await field.setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: pixel });
  await page.getByRole('button', { name: 'Remove picture' }).click();
  await expect(page.getByRole('button', { name: 'Remove picture' })).toHaveCount(0);
  expect((await getMe({ client: me.client })).data.avatar).toContain('/avatar.svg');
});

test('settings: the list on a phone begins with the visitor, and says the state of each section', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const me = await createPerson('Nora Listed');
  await signIn(context, me);
  await page.goto('/settings');
  const sections = page.getByRole('navigation', { name: 'Settings' });
  await expect(sections.getByRole('link').first()).toHaveText(/Nora Listed\s*Edit profile/);
  await expect(sections.getByRole('link', { name: 'Sign-in' })).toContainText(me.phone);
  // The client of the test and the browser
  await expect(sections.getByRole('link', { name: 'Devices' })).toContainText('2 devices');
  await expect(sections.getByRole('link', { name: 'Language' })).toContainText('English');
  await expect(sections.getByRole('link', { name: 'Calendar address' })).toContainText('No address yet');
  await sections.getByRole('link', { name: 'Edit profile' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Profile', exact: true })).toBeVisible();
  await expect(page.getByLabel('Name', { exact: true })).toBeInViewport();
  await expect(sections).toBeHidden();
  await blockUser({ client: me.client, path: { id: (await createPerson()).id } });
  await page.getByRole('main').getByRole('link', { name: 'Settings' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
  await expect(page.getByLabel('Name', { exact: true })).toBeHidden();
  await expect(sections.getByRole('link', { name: 'Blocked people' })).toContainText('1 person');
  // A wide screen has room for both.
  await page.setViewportSize({ width: 1_280, height: 900 });
  await expect(page.getByLabel('Name', { exact: true })).toBeVisible();
  await expect(sections.getByRole('link', { name: 'Profile' })).toHaveAttribute('aria-current', 'page');
});

test('settings: another language is chosen and kept', async ({ page, context, createPerson, signIn }) => {
  await signIn(context, await createPerson());
  await page.goto('/settings');
  const sections = page.getByRole('navigation', { name: 'Settings' });
  await sections.getByRole('link', { name: 'Language' }).click();
  await page.getByRole('region', { name: 'Language' }).getByRole('button', { name: 'Svenska' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Språk' })).toBeVisible();
  // The scripts of the page know the choice, too.
  await page.waitForLoadState('networkidle');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Språk');
  // On phones, a section leads back to the list of all.
  await page.getByRole('main').getByRole('link', { name: 'Inställningar' }).click();
  await page.getByRole('link', { name: 'Enheter' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Enheter');
});

test('sign out: another tab shows it within a second, and no page of the account is left', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  await signIn(context, await createPerson());
  const other = await context.newPage();
  await other.goto('/');
  await expect(other.getByRole('link', { name: 'My events' })).toBeVisible();
  const third = await context.newPage();
  await third.goto('/mine');
  await page.goto('/settings/account');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL('/');
  const limit = { timeout: 1_000 };
  await expect(other.getByRole('banner').getByRole('link', { name: 'Sign in' })).toBeVisible(limit);
  await expect(third).toHaveURL(/\/sign-in/, limit);
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible();
});

test('session: no script can read its token', async ({ page, context, createPerson, signIn }) => {
  await signIn(context, await createPerson());
  await page.goto('/settings/profile');
  const readable = await page.evaluate(() =>
    JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }]),
  );
  expect(readable).not.toContain('pb_');
  const cookie = (await context.cookies()).find(({ name }) => name.startsWith('potluck-'));
  expect(cookie?.httpOnly).toBe(true);
  expect(await page.content()).not.toContain(cookie?.value);
});

test('devices: another one can be signed out, and reads why', async ({ createPerson, openBrowser }) => {
  const me = await createPerson();
  const [mine, other] = [await openBrowser(me), await openBrowser(me)];
  await other.goto('/settings');
  await expect(other.getByRole('heading', { name: 'Settings', exact: true })).toBeVisible();
  await mine.goto('/settings/devices');
  await expect(mine.getByText('This device')).toHaveCount(1);
  const buttons = mine.getByRole('button', { name: /^Sign out: / });
  // The client of the test and the other browser
  await expect(buttons).toHaveCount(2);
  await mine.getByRole('button', { name: /^Sign out: Chrome/ }).click();
  await expect(mine.getByText('The device is signed out.')).toBeAttached();
  await expect(buttons).toHaveCount(1);
  expect((await listSessions({ client: me.client })).data.data).toHaveLength(2);
  await other.getByRole('link', { name: 'Devices' }).click();
  await expect(other).toHaveURL(/\/sign-in/);
  await expect(other.getByText('Your session has ended')).toBeVisible();
});

test('ended session: an address that is typed in shows public pages, and the reason at others', async ({
  createPerson,
  openBrowser,
}) => {
  const me = await createPerson();
  const page = await openBrowser(me);
  for (const { id, isCurrent } of (await listSessions({ client: me.client })).data.data) {
    if (!isCurrent) await endSession({ client: me.client, path: { id } });
  }
  await page.goto('/messages');
  await expect(page.getByText('Your session has ended')).toBeVisible();
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByRole('banner').getByRole('link', { name: 'Sign in' })).toBeVisible();
});

test('suspended account: reads that it is suspended, and can take its data along', async ({
  createPerson,
  openBrowser,
  signIn,
}) => {
  const [admin, me] = [await newAdmin(), await createPerson()];
  const page = await openBrowser(me);
  await page.goto('/settings');
  await suspendAccount({ client: admin.client, path: { id: me.id }, body: { reason: 'Spam' } });
  await page.getByRole('link', { name: 'Devices' }).click();
  await expect(page.getByRole('heading', { name: 'This account is suspended' })).toBeVisible();
  await expect(page.getByText('Spam')).toBeVisible();
  await signIn(page.context(), me);
  await page.goto('/messages');
  await expect(page.getByRole('heading', { name: 'This account is suspended' })).toBeVisible();
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download my data' }).click();
  await downloading;
  await page.getByRole('link', { name: 'Delete account' }).click();
  await page.getByRole('button', { name: 'Send the code for deletion' }).click();
  await expect(page.getByLabel('Code')).toBeVisible();
  await page.getByRole('link', { name: 'Back' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('banner').getByRole('link', { name: 'Sign in' })).toBeVisible();
});

test('calendar address: is shown once, can be copied and revoked', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await signIn(context, await createPerson());
  await page.goto('/settings/calendar');
  await page.getByRole('button', { name: 'Create address' }).click();
  const address = await page.getByLabel('Address of your calendar').inputValue();
  expect(address).toMatch(/\/v1\/calendars\/pc_.+\.ics$/);
  await page.getByRole('button', { name: 'Copy' }).click();
  await expect(page.getByText('Copied', { exact: true })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address);
  expect((await page.request.get(address)).status()).toBe(200);
  await page.reload();
  await expect(page.getByLabel('Address of your calendar')).toHaveCount(0);
  await page.getByRole('button', { name: 'Revoke address' }).click();
  await expect(page.getByRole('button', { name: 'Create address' })).toBeVisible();
  expect((await page.request.get(address)).status()).toBe(404);
});

test('blocked people: the list says that it is empty', async ({ page, context, createPerson, signIn }) => {
  const [me, other] = [await createPerson(), await createPerson('Ines Blocked')];
  await signIn(context, me);
  await page.goto('/settings');
  await page.getByRole('link', { name: 'Blocked people' }).click();
  await expect(page).toHaveURL('/settings/blocked');
  await expect(page.getByText('You have not blocked anyone.')).toBeVisible();
  await blockUser({ client: me.client, path: { id: other.id } });
  await page.reload();
  await expect(page.getByRole('link', { name: 'Ines Blocked' })).toBeVisible();
});

test('export: a link downloads the JSON document', async ({ page, context, createPerson, signIn }) => {
  const me = await createPerson('Exported Person');
  await signIn(context, me);
  await page.goto('/settings/account');
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download my data' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('potluck-export.json');
  expect(JSON.parse(await readFile(await download.path(), 'utf8'))).toMatchObject({
    profile: [{ name: 'Exported Person' }],
  });
});

test('delete account: explains what is deleted, asks for a code, and ends the session', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [me, other] = [await createPerson(), await createPerson()];
  await signIn(context, me);
  await page.goto('/settings/account');
  await page.getByRole('link', { name: 'Delete account' }).click();
  await expect(page.getByText('your messages, also those that you received')).toBeVisible();
  await page.getByRole('button', { name: 'Send the code for deletion' }).click();
  await page.getByLabel('Code').fill('000000');
  await page.getByRole('button', { name: 'Delete my account now' }).click();
  await expect(page.getByRole('alert')).toContainText('This code is not valid.');
  await page.getByLabel('Code').fill(await readCode(page));
  await page.getByRole('button', { name: 'Delete my account now' }).click();
  await expect(page.getByRole('heading', { name: 'Your account is deleted' })).toBeVisible();
  await expect(page.getByRole('banner').getByRole('link', { name: 'Sign in' })).toBeVisible();
  const response = await other.client.get({ url: `/v1/users/${me.id}`, throwOnError: false });
  expect(response.response?.status).toBe(404);
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('settings: profile, deletion and sign-out work with forms alone', async ({
    page,
    context,
    createPerson,
    signIn,
  }) => {
    const me = await createPerson();
    await updateMe({ client: me.client, body: { bio: 'Bakes at night.' } });
    await signIn(context, me);
    await page.goto('/settings/profile');
    await page.getByLabel('City').fill('Tromsø');
    await page.getByLabel('Username').fill('a b');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByLabel('Username')).toHaveAttribute('aria-invalid', 'true');
    await expect(page.getByLabel('City')).toHaveValue('Tromsø');
    await page.getByLabel('Username').fill(`plain_${crypto.randomUUID().slice(0, 8)}`);
    await page.getByRole('button', { name: 'Save' }).click();
    expect((await getMe({ client: me.client })).data).toMatchObject({
      city: 'Tromsø',
      bio: 'Bakes at night.',
    });
    await expect(page.getByLabel('City')).toHaveValue('Tromsø');
    await expect(page.getByText('Saved', { exact: true })).toBeVisible();
    await page
      .getByLabel('Choose a picture')
      .setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: pixel });
    await page.getByRole('button', { name: 'Use this picture' }).click();
    await expect(page.getByRole('button', { name: 'Remove picture' })).toBeVisible();
    expect((await getMe({ client: me.client })).data.avatar).toContain('/v1/uploads/');
    await page.goto('/settings');
    await page.getByRole('link', { name: /^Account/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect(page.getByRole('banner').getByRole('link', { name: 'Sign in' })).toBeVisible();
    await signIn(context, me);
    await page.goto('/settings/delete');
    await page.getByRole('button', { name: 'Send the code for deletion' }).click();
    await page.getByLabel('Code').fill(await readCode(page));
    await page.getByRole('button', { name: 'Delete my account now' }).click();
    await expect(page.getByRole('heading', { name: 'Your account is deleted' })).toBeVisible();
  });
});
