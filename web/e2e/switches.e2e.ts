/** Switches of the whole server. These tests run after all others, whose claims they would refuse. */
import { setRsvp } from '@potluck/client';
import { expect, newAdmin, newEvent, newItem, overflowOf, test } from './fixtures.ts';

// One after the other: each changes the whole server.
test.describe.configure({ mode: 'default' });

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

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test('settings: an admin changes them, and cannot lock themselves out', async ({
      page,
      context,
      signIn,
    }) => {
      await signIn(context, await newAdmin());
      await page.goto('/admin/settings');
      const contact = page.getByLabel('Contact for questions');
      const instance = page.getByRole('region', { name: 'Your town’s page' });
      const ways = page.getByRole('region', { name: 'Ways to sign in' });
      await contact.fill('hello');
      await instance.getByRole('button', { name: 'Save' }).click();
      await expect(contact).toHaveAccessibleDescription(/Please enter a mail address/);
      await contact.fill('https://example.org/help');
      await instance.getByRole('button', { name: 'Save' }).click();
      await expect(instance.getByRole('status')).toHaveText('Saved');
      await expect(page.getByRole('link', { name: 'Contact' })).toHaveAttribute(
        'href',
        'https://example.org/help',
      );
      await page.getByLabel('A code by text message').uncheck();
      await ways.getByRole('button', { name: 'Save' }).click();
      await expect(
        page.getByText('Keep at least one way with which you can sign in yourself.').first(),
      ).toBeVisible();
      await page.getByLabel('A code by text message').check();
      await ways.getByRole('button', { name: 'Save' }).click();
      await expect(ways.getByRole('status')).toHaveText('Saved');
      await contact.fill('');
      await instance.getByRole('button', { name: 'Save' }).click();
      await expect(page.getByRole('link', { name: 'Contact' })).toHaveCount(0);
      await page.getByRole('button', { name: 'Send a test message' }).click();
      await expect(page.getByRole('status').filter({ hasText: 'Accepted' })).toBeVisible();
      expect(await overflowOf(page)).toBe(0);
    });
  });
}
