/** What a visitor presses before the sign-in is done after it, and the page says so. */
import { getUser } from '@potluck/client';
import { openEvent, signInHere } from './event-steps.ts';
import { expect, newEvent, test } from './fixtures.ts';

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test('save: signed out, "Save" survives the sign-in, and the page says so', async ({
      page,
      createPerson,
    }) => {
      const { id } = await newEvent(await createPerson());
      await (javaScriptEnabled ? openEvent(page, { id }) : page.goto(`/e/${id}`));
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      if (!javaScriptEnabled)
        await expect(page.getByText('After that we save this event for you: Harbour potluck')).toBeVisible();
      await signInHere(page);
      const saved = page.getByRole('button', { name: 'Saved' });
      await expect(saved).toHaveAttribute('aria-pressed', 'true');
      await expect(page.getByText('Saved. You find it under')).toBeVisible();
      await saved.click();
      await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeVisible();
    });

    test('follow: signed out, "Follow" survives the sign-in, and the page says so', async ({
      page,
      createPerson,
    }) => {
      const person = await createPerson('Bela South');
      await page.goto(`/u/${person.id}`, { waitUntil: 'networkidle' });
      await page.getByRole('link', { name: 'Follow Bela South' }).click();
      await expect(page.getByText('After that you follow Bela South.')).toBeVisible();
      await signInHere(page);
      await expect(page.getByRole('button', { name: 'Following Bela South: unfollow' })).toBeVisible();
      await expect(page.getByText('You follow Bela South.')).toBeAttached();
      const { data } = await getUser({ client: person.client, path: { id: person.id } });
      expect(data.followersCount).toBe(1);
    });
  });
}

test('follow: a refusal after the sign-in is explained on the page of the person', async ({
  page,
  createPerson,
}) => {
  const person = await createPerson('Bela South');
  await page.goto(`/u/${person.id}`);
  await page.getByRole('link', { name: 'Follow Bela South' }).click();
  await signInHere(page, person.phone);
  await expect(page).toHaveURL(`/u/${person.id}?refused=self_relation`);
  await expect(page.getByRole('alert')).toBeVisible();
});
