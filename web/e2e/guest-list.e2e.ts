/** Guests whom the organizer adds, changes and removes. */
import { addGuests, listGuests } from '@potluck/client';
import { expect, goTo, newEvent, overflowOf, test } from './fixtures.ts';

for (const javaScriptEnabled of [true, false])
  test.describe(javaScriptEnabled ? 'guest list' : 'guest list without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('a pasted table shows what each line becomes, before anybody is added', async ({
      page,
      createPerson,
      signIn,
    }) => {
      const organizer = await createPerson();
      const event = await newEvent(organizer);
      await signIn(page.context(), organizer);
      await page.goto(`/e/${event.id}/guest-list`);
      await page.getByRole('link', { name: 'Add guests' }).click();
      const table = ['Ida', 'The Novaks, 4', 'Bo\tbo@example.org', 'Max, many', ''].join('\n');
      await page.getByLabel('Your guests').fill(table);
      await page.getByRole('button', { name: 'Check the list' }).click();
      const lines = page.getByRole('region', { name: 'This is what we read' }).getByRole('listitem');
      await expect(lines).toHaveCount(4);
      await expect(lines.nth(1)).toContainText('4 people');
      await expect(lines.nth(2)).toContainText('without bo@example.org');
      await expect(lines.nth(3)).toContainText('left out');
      const guests = () => listGuests({ client: organizer.client, path: { id: event.id } });
      expect((await guests()).data.data).toEqual([]);
      await page.getByRole('button', { name: 'Add 3 guests' }).click();
      await expect(page).toHaveURL(`/e/${event.id}/guest-list`);
      const novaks = page.getByRole('listitem').filter({ hasText: 'The Novaks' });
      await expect(novaks).toContainText('added by you');
      await expect(novaks).toContainText('4 people');
      expect((await guests()).data.data.length).toBe(3);
    });

    test('an added guest is changed, and removed after a question', async ({
      page,
      createPerson,
      signIn,
    }) => {
      const organizer = await createPerson();
      const event = await newEvent(organizer);
      const path = { id: event.id };
      await addGuests({ client: organizer.client, path, body: { guests: [{ name: 'Ida' }] } });
      await signIn(page.context(), organizer);
      await page.goto(`/e/${event.id}/guest-list`);
      await page.getByRole('link', { name: 'Change or remove Ida' }).click();
      await page.getByLabel('Name').fill('Grandma');
      await page.getByLabel('How many come').selectOption('2 people');
      await page.getByRole('button', { name: 'Save' }).click();
      const guest = page.getByRole('listitem').filter({ hasText: 'Grandma' });
      await expect(guest).toContainText('2 people');
      await page.getByRole('link', { name: 'Change or remove Grandma' }).click();
      await page.getByRole('button', { name: 'Remove guest' }).click();
      await expect(page).toHaveURL(`/e/${event.id}/guest-list`);
      await expect(guest).toHaveCount(0);
    });
  });

test('a guest who answered is removed, and reads why the next answer is refused', async ({
  page,
  createPerson,
  signIn,
  openBrowser,
}) => {
  const [organizer, guest] = [await createPerson(), await createPerson('Mara Lindgren')];
  const event = await newEvent(organizer);
  await goTo(guest, event.id);
  await signIn(page.context(), organizer);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`/e/${event.id}/guest-list`);
  expect(await overflowOf(page)).toBe(0);
  await page.getByRole('link', { name: 'Change or remove Mara Lindgren' }).click();
  expect(await overflowOf(page)).toBe(0);
  await expect(page.getByLabel('Tell Mara Lindgren about it')).toBeChecked();
  await page.getByRole('button', { name: 'Remove guest' }).click();
  await expect(page.getByText('Mara Lindgren')).toHaveCount(0);
  const other = await openBrowser(guest);
  await other.goto(`/e/${event.id}`);
  await other.getByRole('button', { name: "I'm going" }).first().click();
  await expect(other.getByText('The organizer has taken you off the guest list')).toBeVisible();
});
