/** The organizer invites people: by a pasted list, and by a link for many. */
import { listInvitations } from '@potluck/client';
import { expect, goTo, newEvent, overflowOf, test } from './fixtures.ts';

for (const javaScriptEnabled of [true, false])
  test.describe(javaScriptEnabled ? 'invitations' : 'invitations without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('a pasted list shows what each line becomes, is sent, and one invitation is withdrawn', async ({
      page,
      createPerson,
      signIn,
    }) => {
      const organizer = await createPerson();
      const event = await newEvent(organizer);
      const invitations = async () =>
        (await listInvitations({ client: organizer.client, path: { id: event.id } })).data.data;
      const suffix = event.id.toLowerCase().replace(/[^a-z0-9]/g, '');
      await signIn(page.context(), organizer);
      await page.goto(`/e/${event.id}/invitations`);
      const list = [`Ana <ana-${suffix}@example.org>`, `bo-${suffix}@example.org`, 'Grandma'].join('\n');
      await page.getByLabel('Whom do you invite?').fill(list);
      await page.getByLabel('A few words to go with it').fill('Bring your appetite!');
      await page.getByRole('button', { name: 'Review and send' }).click();
      const lines = page.getByRole('main').getByRole('listitem');
      await expect(lines.filter({ hasText: 'Ana' })).toContainText(`ana-${suffix}@example.org`);
      await expect(lines.filter({ hasText: 'Grandma' })).toBeVisible();
      await expect(page.getByText('Bring your appetite!')).toBeVisible();
      expect(await overflowOf(page)).toBe(0);
      expect(await invitations()).toEqual([]);

      await page.getByRole('button', { name: 'Invite 3 people' }).click();
      await expect(page.getByRole('status').filter({ hasText: '3' })).toBeVisible();
      expect((await invitations()).length).toBe(3);
      for (const name of ['Ana', `bo-${suffix}@example.org`, 'Grandma'])
        await expect(lines.filter({ hasText: name })).toBeVisible();
      for (const width of [360, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await overflowOf(page)).toBe(0);
      }
      await page.getByLabel('More: Grandma', { exact: true }).click();
      await page.getByRole('button', { name: 'Withdraw the invitation: Grandma' }).click();
      await expect(lines.filter({ hasText: 'Grandma' })).toHaveCount(0);
      expect((await invitations()).map(({ name }) => name)).not.toContain('Grandma');
    });

    test('a link for many is made, and shown with its code', async ({ page, createPerson, signIn }) => {
      const organizer = await createPerson();
      const event = await newEvent(organizer);
      await signIn(page.context(), organizer);
      await page.goto(`/e/${event.id}/invitations`);
      await page.getByText('A link for many').click();
      await page.getByLabel('What is it for?').fill('Neighbours');
      await page.getByLabel('How many people may answer by it?').fill('20');
      await page.getByRole('button', { name: 'Make the link' }).click();
      await expect(page.getByRole('heading', { name: 'Neighbours' })).toBeVisible();
      expect(await overflowOf(page)).toBe(0);
      await page.getByRole('link', { name: 'Back', exact: true }).last().click();
      await expect(page.getByRole('listitem').filter({ hasText: 'Neighbours' })).toContainText('0 of 20');
    });

    test('a guest of another event is invited again, and stands in the guest list without an answer', async ({
      page,
      createPerson,
      signIn,
    }) => {
      const [organizer, guest] = [await createPerson(), await createPerson('Mara Lindgren')];
      await goTo(guest, (await newEvent(organizer)).id);
      const event = await newEvent(organizer);
      await signIn(page.context(), organizer);
      await page.goto(`/e/${event.id}/invitations`);
      await expect(page.getByText('Nobody is invited yet')).toBeVisible();
      await page.getByText('Mara Lindgren').click();
      await page.getByRole('button', { name: 'Invite them' }).click();
      await expect(page.getByText('1 person is invited.')).toBeVisible();
      await expect(page.getByText('0 of 1 have answered')).toBeVisible();
      await expect(page.getByRole('button', { name: 'Invite them' })).toHaveCount(0);

      await page.goto(`/e/${event.id}/guest-list`);
      const waiting = page.getByRole('region', { name: 'No answer yet' });
      await expect(waiting.getByRole('listitem')).toContainText(['Mara Lindgren']);
      await page.getByRole('link', { name: 'No answer yet 1' }).click();
      await expect(waiting.getByRole('listitem')).toHaveCount(1);
      expect(await overflowOf(page)).toBe(0);
    });
  });
