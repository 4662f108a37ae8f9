/** Events whose organizer approves each guest, and the last day to answer. */
import { getEvent, setRsvp } from '@potluck/client';
import { openEvent } from './event-steps.ts';
import { expect, newAddress, newEvent, overflowOf, readCode, test } from './fixtures.ts';
import { openStep } from './form-steps.ts';

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test('requests: a person asks, withdraws, asks again, is declined and then approved', async ({
      page,
      createPerson,
      openBrowser,
      signIn,
    }) => {
      test.setTimeout(60_000);
      const host = await createPerson('Hedda Host');
      const event = await newEvent(host, { rsvpApproval: 'organizer' });
      await setRsvp({ client: host.client, path: { id: event.id }, body: { status: 'going' } });
      const guest = await createPerson('Ada Lovelace');
      await signIn(page.context(), guest);
      const open = () => (javaScriptEnabled ? openEvent(page, event) : page.goto(`/e/${event.id}`));
      await open();
      const panel = page.getByRole('region', { name: 'Are you coming?' });
      await expect(panel.getByRole('button', { name: "I'm going" })).toHaveCount(0);
      await panel.getByRole('button', { name: 'Ask to join' }).click();
      await expect(panel.getByText('You asked to join')).toBeVisible();
      await panel.getByRole('button', { name: 'Withdraw' }).click();
      await panel.getByLabel('Message to the organizer (optional)').fill('I am a friend of Ana.');
      await panel.getByRole('button', { name: 'Ask to join' }).click();
      await expect(panel.getByText('You asked to join')).toBeVisible();
      await expect(page.getByText(/waiting ?list|waitlist/i)).toHaveCount(0);
      expect(await overflowOf(page)).toBe(0);
      const read = async () => (await getEvent({ client: host.client, path: { id: event.id } })).data;
      expect((await read()).goingCount).toBe(1);

      const other = await openBrowser(host);
      await other.goto(`/e/${event.id}/guest-list`);
      const requests = other.getByRole('region', { name: 'Asked to join' });
      await expect(requests.getByText('I am a friend of Ana.')).toBeVisible();
      expect(await overflowOf(other)).toBe(0);
      await requests.getByRole('button', { name: 'Decline Ada Lovelace' }).click();
      await expect(requests.getByText('Declined')).toBeVisible();
      await open();
      await expect(panel.getByText('Your request was declined')).toBeVisible();

      await requests.getByRole('button', { name: 'Approve Ada Lovelace' }).click();
      await expect(requests).toHaveCount(0);
      await expect(other.getByRole('link', { name: 'Ada Lovelace', exact: true })).toBeVisible();
      await open();
      await expect(panel.getByText("You're going")).toBeVisible();
      expect((await read()).goingCount).toBe(2);
    });

    test('requests: a guest without an account asks with a message, and withdraws', async ({
      page,
      createPerson,
    }) => {
      const event = await newEvent(await createPerson(), { rsvpApproval: 'organizer' });
      await page.goto(`/e/${event.id}/answer`);
      await page.getByLabel('Your name').fill('Nora');
      await page.getByLabel('Your mail address').fill(newAddress());
      await page.getByLabel('Message to the organizer (optional)').fill('From the choir.');
      await page.getByRole('button', { name: 'Send code' }).click();
      await page.getByRole('textbox', { name: 'Code' }).fill(await readCode(page));
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Ask to join' }).click();
      await expect(page.getByRole('status').filter({ hasText: 'You asked to join' })).toBeVisible();
      await page.getByRole('button', { name: 'Withdraw' }).click();
      await expect(page.getByRole('button', { name: 'Ask to join' })).toBeVisible();
    });

    test('deadline: afterwards the page says since when, and takes no new answers', async ({
      page,
      createPerson,
      signIn,
    }) => {
      const host = await createPerson();
      const event = await newEvent(host, { rsvpUntil: '2026-01-05T17:00:00Z' });
      await signIn(page.context(), await createPerson());
      await page.goto(`/e/${event.id}`);
      const panel = page.getByRole('region', { name: 'Are you coming?' });
      await expect(panel.getByText('Answers closed on 5 Jan 2026, 18:00')).toBeVisible();
      await expect(panel.getByRole('button', { name: "I'm going" })).toBeDisabled();
    });

    test('form: the organizer chooses a last day to answer, and to approve guests', async ({
      page,
      createPerson,
      signIn,
    }) => {
      const host = await createPerson();
      const event = await newEvent(host);
      await signIn(page.context(), host);
      await page.goto(`/e/${event.id}/edit`);
      if (javaScriptEnabled) await openStep(page, 'Guests');
      await page.getByLabel('Who can join').selectOption('You approve each guest');
      await page.getByLabel('Answer until', { exact: true }).fill(event.startAt.slice(0, 10));
      expect(await overflowOf(page)).toBe(0);
      await page.getByRole('button', { name: 'Save' }).first().click();
      await expect(page).toHaveURL(new RegExp(`/e/${event.id}(\\?|$)`));
      const { data } = await getEvent({ client: host.client, path: { id: event.id } });
      // At the latest when the event ends.
      expect([data.rsvpApproval, data.rsvpUntil]).toEqual(['organizer', event.endAt]);
    });
  });
}
