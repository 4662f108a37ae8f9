/** The visitor's own events and claims. */
import { saveEvent, setRsvp, updateEvent } from '@potluck/client';
import { claim, expect, goTo, newEvent, newItem, overflowOf, test } from './fixtures.ts';

test('my events: each tab has its events, at the time of the venue', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [me, host] = [await createPerson(), await createPerson()];
  const tokyo = { location: { address: 'Ueno, Tokyo', lat: 35.71, lng: 139.77 }, timezone: 'Asia/Tokyo' };
  const start = new Date(Date.now() + 20 * 86_400_000);
  start.setUTCHours(3, 0, 0, 0);
  const end = new Date(start.getTime() + 2 * 3_600_000);
  const times = { startAt: start.toISOString(), endAt: end.toISOString() };
  const going = await newEvent(host, { title: 'Noon in Tokyo', ...tokyo, ...times });
  await goTo(me, going.id);
  await newItem(host, going.id);
  const maybe = await newEvent(host, { title: 'Maybe this one' });
  await setRsvp({ client: me.client, path: { id: maybe.id }, body: { status: 'interested' } });
  const saved = await newEvent(host, { title: 'Kept for later' });
  await saveEvent({ client: me.client, path: { id: saved.id }, body: { saved: true } });
  await newEvent(me, { title: 'My own dinner' });
  await signIn(context, me);
  await page.goto('/mine');
  const card = page.getByRole('article').filter({ hasText: 'Noon in Tokyo' });
  await expect(card).toContainText('12:00–14:00');
  await expect(card).toContainText("You're going");
  await expect(card).toContainText('1 thing still needed');
  const interested = page.getByRole('region', { name: 'You might go' });
  await expect(interested.getByRole('link', { name: 'Maybe this one' })).toBeVisible();
  const tabs = page.getByRole('navigation', { name: 'My events' });
  await tabs.getByRole('link', { name: 'Saved' }).click();
  await expect(page.getByRole('link', { name: 'Kept for later' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Noon in Tokyo' })).toHaveCount(0);
  await tabs.getByRole('link', { name: 'Organizing' }).click();
  await expect(page.getByRole('link', { name: 'My own dinner' })).toBeVisible();
  expect(await overflowOf(page)).toBe(0);
});

test('my events: past ones have a tab of their own', async ({ page, context, createPerson, signIn }) => {
  const me = await createPerson();
  const event = await newEvent(me, { title: 'Long ago' });
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const body = { startAt: day(-3), endAt: day(-2) };
  await updateEvent({ client: me.client, path: { id: event.id }, body });
  await signIn(context, me);
  await page.goto('/mine?tab=organizing');
  await expect(page.getByText('You organize no upcoming events.')).toBeVisible();
  await page.getByRole('link', { name: 'Past' }).click();
  await page.getByRole('link', { name: 'I organized' }).click();
  await expect(page.getByRole('link', { name: 'Long ago' })).toBeVisible();
});

test('what I bring: by event, with a link to change or give it back', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [me, host] = [await createPerson(), await createPerson()];
  const event = await newEvent(host, { title: 'Harbour dinner' });
  await goTo(me, event.id);
  const bread = await newItem(host, event.id);
  const salad = await newItem(host, event.id, { title: 'Salad', quantityNeeded: 5 });
  await claim(me, bread.id, 2);
  await claim(me, salad.id, 3);
  await signIn(context, me);
  await page.goto('/mine');
  await page.getByRole('link', { name: 'What I bring' }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'Harbour dinner' })).toHaveCount(1);
  await expect(page.getByText('2 × 🥘 Sourdough bread')).toBeVisible();
  await expect(page.getByText('3 × 🥘 Salad')).toBeVisible();
  const back = page.getByRole('link', { name: 'Change or give back: Harbour dinner' });
  await expect(back).toHaveAttribute('href', `/e/${event.id}#list-bring`);
});

test('my events: empty tabs say what to do, and visitors sign in first', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  await page.goto('/mine?tab=claims');
  await expect(page).toHaveURL(/\/sign-in\?next=%2Fmine%3Ftab%3Dclaims$/);
  await signIn(context, await createPerson());
  await page.goto('/mine');
  await expect(page.getByText('You have not said yes to an event yet.')).toBeVisible();
  await page.goto('/mine?tab=claims');
  await expect(page.getByText('You are not bringing anything yet.')).toBeVisible();
});
