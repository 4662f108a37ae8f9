/** Switches of the whole server. These tests run after all others, whose claims they would refuse. */
import { setRsvp } from '@potluck/client';
import { expect, newAdmin, newEvent, newItem, test } from './fixtures.ts';

test('admin: with claims switched off, "Bring" is disabled with the reason', async ({
  page,
  context,
  createPerson,
  signIn,
  openBrowser,
}) => {
  const [admin, organizer, guest] = [await newAdmin(), await createPerson(), await createPerson()];
  const event = await newEvent(organizer);
  await newItem(organizer, event.id);
  await setRsvp({ client: guest.client, path: { id: event.id }, body: { status: 'going' } });
  await signIn(context, admin);
  await page.goto('/admin/switches');
  await page.getByRole('button', { name: 'Switch off: Bring lists' }).click();
  try {
    await expect(page.getByRole('button', { name: 'Switch on: Bring lists' })).toBeVisible();
    const theirs = await openBrowser(guest);
    await theirs.goto(`/e/${event.id}`);
    await expect(theirs.getByText('Claiming is switched off on this server at the moment.')).toBeVisible();
    await expect(theirs.getByRole('button', { name: /^Bring/ })).toBeDisabled();
  } finally {
    await page.getByRole('button', { name: 'Switch on: Bring lists' }).click();
    await expect(page.getByRole('button', { name: 'Switch off: Bring lists' })).toBeVisible();
  }
});
