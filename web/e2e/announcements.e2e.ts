/** What the organizer writes to the guests, on both sides. */
import { createAnnouncement } from '@potluck/client';
import { expect, goTo, newEvent, overflowOf, test } from './fixtures.ts';

for (const javaScriptEnabled of [true, false])
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test('organizer: writes to the guests after a preview with their number, changes it and deletes it', async ({
      page,
      context,
      createPerson,
      signIn,
    }) => {
      const [organizer, guest] = [await createPerson(), await createPerson()];
      const event = await newEvent(organizer);
      await goTo(guest, event.id);
      await signIn(context, organizer);
      await page.goto(`/e/${event.id}/announcements`);
      await page.getByLabel('Your message').fill('We meet at the lighthouse.\nBring warm clothes!');
      await page.getByRole('button', { name: 'Preview' }).click();
      const preview = page.getByRole('status').filter({ hasText: 'lighthouse' });
      await expect(preview).toContainText('1 person gets it.');
      await expect(preview).toContainText(organizer.name);
      await page.getByRole('button', { name: 'Send' }).click();
      await expect(page.getByText('Your message is on its way.')).toBeVisible();
      const own = page.getByRole('listitem').filter({ hasText: 'lighthouse' });
      await expect(own).toContainText('1 person');
      expect(await overflowOf(page)).toBe(0);

      await own.getByText('Edit').click();
      await own.getByLabel('Your message').fill('We meet at the harbour.');
      await own.getByRole('button', { name: 'Save' }).click();
      await expect(page.getByRole('article').filter({ hasText: 'harbour' })).toContainText('edited');
      await page
        .getByRole('listitem')
        .filter({ hasText: 'harbour' })
        .getByText('Edit', { exact: true })
        .click();
      await page.getByRole('button', { name: 'Delete' }).click();
      await expect(page.getByRole('article')).toHaveCount(0);
    });

    test('organizer: schedules a message; the fields say what is wrong', async ({
      page,
      context,
      createPerson,
      signIn,
    }) => {
      const organizer = await createPerson();
      const event = await newEvent(organizer);
      await signIn(context, organizer);
      await page.goto(`/e/${event.id}/announcements`);
      await page.getByLabel('Your message').fill('See you soon!');
      await page.getByLabel('Later').check();
      await page.getByRole('button', { name: 'Preview' }).click();
      await expect(page.getByText('Please enter a date and a time.')).toBeVisible();
      await page.getByLabel('Day').fill(event.startAt.slice(0, 10));
      await page.getByLabel('Time').fill('00:01');
      await page.getByRole('button', { name: 'Preview' }).click();
      await expect(page.getByText('It goes out on')).toBeVisible();
      await page.getByRole('button', { name: 'Schedule' }).click();
      await expect(page.getByText('Your message is scheduled.')).toBeVisible();
      await expect(page.getByText('Scheduled', { exact: true })).toBeVisible();
    });

    test('guest: reads on the page of the event what the organizer wrote, and a visitor does not', async ({
      page,
      context,
      createPerson,
      signIn,
    }) => {
      const [organizer, guest] = [await createPerson(), await createPerson()];
      const event = await newEvent(organizer);
      await goTo(guest, event.id);
      for (const text of ['First', 'Second', 'Third'])
        await createAnnouncement({ client: organizer.client, path: { id: event.id }, body: { text } });
      await page.goto(`/e/${event.id}`);
      await expect(page.getByText('From the organizer')).toHaveCount(0);
      await signIn(context, guest);
      await page.goto(`/e/${event.id}`);
      const section = page.getByRole('region', { name: 'From the organizer' });
      await expect(section.getByText('Third')).toBeVisible();
      await expect(section.getByText('First')).toBeHidden();
      await section.getByText('Earlier messages (1)').click();
      await expect(section.getByText('First')).toBeVisible();
    });
  });
