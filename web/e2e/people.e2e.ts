/** Profiles, the search for people, and the feed. */
import { blockUser, followUser, getUser, type Profile, updateMe } from '@potluck/client';
import { expect, goTo, newEvent, overflowOf, type Person, test } from './fixtures.ts';

const follow = ({ client }: Person, { id }: Person) => followUser({ client, path: { id } });
const profileOf = async ({ client }: Person, { id }: Person): Promise<Profile> =>
  (await getUser({ client, path: { id } })).data;

test('profile: a visitor reads name, username, bio, counts and events', async ({ page, createPerson }) => {
  const host = await createPerson('Mara Lind');
  await updateMe({ client: host.client, body: { bio: 'Brings the sourdough.' } });
  await newEvent(host, { title: 'Bread club' });
  await page.goto(`/u/${host.id}`);
  await expect(page.getByRole('heading', { level: 1, name: 'Mara Lind' })).toBeVisible();
  await expect(page.getByText('Brings the sourdough.')).toBeVisible();
  await expect(page.getByText('1 event', { exact: true })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Bread club' })).toBeVisible();
  expect(await overflowOf(page)).toBe(0);
  await page.getByRole('link', { name: 'Follow Mara Lind' }).click();
  await expect(page.getByLabel('Your phone number')).toBeVisible();
});

test('follow: counts change in place, the focus stays, and the change is announced', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [me, other] = [await createPerson('Ada North'), await createPerson('Bela South')];
  await signIn(context, me);
  // Until the scripts have taken over, the form is sent as a page of its own, without a focus.
  await page.goto(`/u/${other.id}`, { waitUntil: 'networkidle' });
  await page.getByRole('button', { name: 'Follow Bela South' }).click();
  const unfollow = page.getByRole('button', { name: 'Following Bela South: unfollow' });
  await expect(unfollow).toBeFocused();
  await expect(page.getByRole('link', { name: '1 follower' })).toBeVisible();
  await expect(page.getByText('You follow Bela South.')).toBeAttached();
  await page.getByRole('link', { name: '1 follower' }).click();
  await expect(page.getByRole('heading', { name: 'Followers of Bela South' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Ada North' })).toBeVisible();
  await page.goto(`/u/${other.id}`);
  await unfollow.click();
  await expect(page.getByRole('link', { name: '0 followers' })).toBeVisible();
});

test('block: a dialog asks first; afterwards neither follows, and it can be undone', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [me, other] = [await createPerson(), await createPerson('Carla East')];
  await follow(me, other);
  await follow(other, me);
  await signIn(context, me);
  await page.goto(`/u/${other.id}`);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('link', { name: 'Block' }).click();
  const dialog = page.getByRole('dialog', { name: 'Block Carla East?' });
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  expect((await profileOf(me, other)).isBlocked).toBe(false);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('link', { name: 'Block' }).click();
  await dialog.getByRole('button', { name: 'Block' }).click();
  await expect(page.getByText('You have blocked Carla East.')).toBeVisible();
  await expect(dialog).toBeHidden();
  expect(await profileOf(me, other)).toMatchObject({ isBlocked: true, isFollowing: false });
  await page.goto('/settings/blocked');
  await page.getByRole('button', { name: 'Unblock Carla East' }).click();
  await expect(page.getByRole('status')).toContainText('You have unblocked Carla East.');
  await expect(page.getByText('You have not blocked anyone.')).toBeVisible();
});

test('report: a reason is chosen, the person reads that it was sent, and a second report is explained', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [me, other] = [await createPerson(), await createPerson('Dario West')];
  await signIn(context, me);
  await page.goto(`/u/${other.id}`);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('link', { name: 'Report' }).click();
  await expect(page.getByRole('heading', { name: 'Report Dario West' })).toBeVisible();
  await page.getByLabel('Fraud').check();
  await page.getByLabel('Explain it').fill('Sells tickets to a free party.');
  await page.getByRole('button', { name: 'Send report' }).click();
  await expect(page.getByText('The administrators will look at it.')).toBeVisible();
  await page.goto(`/report?type=user&id=${other.id}`);
  await page.getByLabel('Fraud').check();
  await page.getByLabel('Explain it').fill('Again.');
  await page.getByRole('button', { name: 'Send report' }).click();
  await expect(page.getByRole('alert')).toContainText('You have already reported this.');
  await expect(page.getByLabel('Explain it')).toHaveValue('Again.');
});

test('private profile: strangers read why they see nothing, and can write', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [me, other] = [await createPerson(), await createPerson('Hidden Person')];
  await updateMe({ client: other.client, body: { isPrivate: true } });
  await signIn(context, me);
  await page.goto(`/u/${other.id}`);
  await expect(page.getByRole('heading', { name: 'This profile is private' })).toBeVisible();
  expect(await page.content()).not.toContain('Hidden Person');
  await page.getByRole('link', { name: 'Message' }).last().click();
  await expect(page.getByLabel('Your message')).toBeVisible();
});

test('own profile: leads to the settings, and offers neither follow nor block', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const me = await createPerson('Elif Own');
  await updateMe({ client: me.client, body: { city: 'Gothenburg' } });
  await signIn(context, me);
  await page.goto(`/u/${me.id}`);
  await expect(page.getByText('Gothenburg')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Follow' })).toHaveCount(0);
  await page.getByRole('link', { name: 'Edit profile' }).click();
  await expect(page).toHaveURL('/settings/profile');
});

test('search: one character is explained; results can be followed in place', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const name = `Quirin ${crypto.randomUUID().slice(0, 8)}`;
  const [me, other] = [await createPerson(), await createPerson(name)];
  await signIn(context, me);
  await page.goto('/people');
  await page.getByLabel('Name or username').fill('q');
  await page.getByRole('button', { name: 'Search' }).click();
  await expect(page.getByLabel('Name or username')).toHaveAccessibleDescription(
    /enter at least 2 characters/,
  );
  await page.getByLabel('Name or username').fill(name);
  await page.getByRole('button', { name: 'Search' }).click();
  await expect(page).toHaveURL(/\?q=Quirin/);
  await page.getByRole('button', { name: `Follow ${name}`, exact: true }).click();
  await expect(page.getByRole('button', { name: `Following ${name}: unfollow` })).toBeVisible();
  expect((await profileOf(me, other)).isFollowing).toBe(true);
  await page.getByLabel('Name or username').fill('no person has this name');
  await page.getByRole('button', { name: 'Search' }).click();
  await expect(page.getByText('0 people found')).toHaveCount(1);
});

test('feed: tells who organizes and who goes; empty, it leads to people', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [me, host, guest] = [
    await createPerson(),
    await createPerson('Greta Host'),
    await createPerson('Jonas Guest'),
  ];
  await signIn(context, me);
  await page.goto('/feed');
  await expect(page.getByText('Follow people to see')).toBeVisible();
  await expect(page.getByRole('main').getByRole('link', { name: 'Find people' }).first()).toBeVisible();
  const event = await newEvent(host, { title: 'Soup night' });
  await goTo(guest, event.id);
  await follow(me, host);
  await follow(me, guest);
  await page.reload();
  await expect(page.getByRole('link', { name: 'Soup night' })).toBeVisible();
  await expect(page.getByText('Greta Host organizes · Jonas Guest is going')).toBeVisible();
});

test('followers: further pages are links', async ({ page, createPerson }) => {
  const star = await createPerson('Popular Person');
  for (let i = 0; i < 31; i++) await follow(await createPerson(), star);
  await page.goto(`/u/${star.id}/followers`);
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(30);
  await page.getByRole('link', { name: 'Show more' }).click();
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(1);
  await page.getByRole('link', { name: 'Back to the beginning' }).click();
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(30);
});

test('followers: people between whom there is a block do not see each other', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [me, star, other] = [await createPerson(), await createPerson(), await createPerson('Unseen Person')];
  await follow(other, star);
  await blockUser({ client: me.client, path: { id: other.id } });
  await signIn(context, me);
  await page.goto(`/u/${star.id}/followers`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByText('Unseen Person')).toHaveCount(0);
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('follow and block: work with forms alone', async ({ page, context, createPerson, signIn }) => {
    const [me, other] = [await createPerson(), await createPerson('Farid Plain')];
    await signIn(context, me);
    await page.goto(`/u/${other.id}`);
    await page.getByRole('button', { name: 'Follow Farid Plain' }).click();
    await expect(page).toHaveURL(`/u/${other.id}`);
    await expect(page.getByRole('button', { name: 'Following Farid Plain: unfollow' })).toBeVisible();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('link', { name: 'Block' }).click();
    await page.getByRole('button', { name: 'Block' }).click();
    await expect(page.getByText('You have blocked Farid Plain.')).toBeVisible();
    await page.getByRole('button', { name: 'Unblock' }).click();
    await expect(page.getByRole('button', { name: 'Follow Farid Plain' })).toBeVisible();
  });
});
