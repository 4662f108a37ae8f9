/** Invitations of an account: among its own events, on the page of the event, and for those who have answered before. */
import { type Event, getEvent, invite, listInvitations, setRsvp } from '@potluck/client';
import { openEvent } from './event-steps.ts';
import { expect, newEvent, overflowOf, type Person, test } from './fixtures.ts';
import { openStep } from './form-steps.ts';

const message = 'It would not be the same without you.';
const inviteTo = ({ client }: Person, { id }: Event, guest: Person) =>
  invite({ client, path: { id }, body: { people: [{ userId: guest.id }], message } });

async function read({ client }: Person, { id }: Event) {
  const { data } = await listInvitations({ client, path: { id } });
  return data.data.map(({ status, reply }) => [status, reply]);
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test('invitations: a person declines with a reply among their own events, and comes after all', async ({
      page,
      createPerson,
      signIn,
    }) => {
      const host = await createPerson('Hedda Host');
      const guest = await createPerson();
      const event = await newEvent(host, { visibility: 'private', enabledModules: ['bringList'] });
      await inviteTo(host, event, guest);
      await signIn(page.context(), guest);
      await page.goto('/mine');
      await page.getByRole('link', { name: 'Invitations' }).click();
      await expect(page.getByText('sees your name and profile as soon as you answer')).toBeVisible();
      await expect(page.getByText('Hedda Host invites you')).toBeVisible();
      await expect(page.getByText(message)).toBeVisible();
      expect(await overflowOf(page)).toBe(0);
      await page.getByLabel('A few words for Hedda Host').fill('Next time!');
      await page.getByRole('button', { name: "Can't go" }).click();
      await expect(page.getByText("You have said that you can't come")).toBeVisible();
      expect(await read(host, event)).toEqual([['declined', 'Next time!']]);
      await page.getByText('Change your answer').click();
      await page.getByRole('button', { name: "I'm going" }).click();
      await expect(page.getByText("You're going")).toBeVisible();
      expect(await read(host, event)).toEqual([['going', 'Next time!']]);
    });

    test('invitations: one is answered in the notifications, which then have the answer', async ({
      page,
      createPerson,
      signIn,
    }) => {
      const host = await createPerson('Hedda Host');
      const guest = await createPerson();
      const event = await newEvent(host, { enabledModules: ['bringList'] });
      await inviteTo(host, event, guest);
      await signIn(page.context(), guest);
      await expect(async () => {
        await page.goto('/notifications');
        await expect(page.getByText('Hedda Host invites you')).toBeVisible({ timeout: 1_000 });
      }).toPass();
      expect(await overflowOf(page)).toBe(0);
      await page.getByRole('button', { name: "I'm going" }).click();
      await expect(page.getByText("You're going")).toBeVisible();
      await expect(page).toHaveURL('/notifications');
      expect(await read(host, event)).toEqual([['going', null]]);
    });

    test('invitations: the page of the event says who invites, and "Can\'t go" declines', async ({
      page,
      createPerson,
      signIn,
    }) => {
      const host = await createPerson('Hedda Host');
      const guest = await createPerson();
      const event = await newEvent(host, { visibility: 'private' });
      await inviteTo(host, event, guest);
      await signIn(page.context(), guest);
      const open = () => (javaScriptEnabled ? openEvent(page, event) : page.goto(`/e/${event.id}`));
      await open();
      const panel = page.getByRole('region', { name: 'Are you coming?' });
      await expect(panel.getByText('Hedda Host invites you')).toBeVisible();
      await expect(panel.getByText(message)).toBeVisible();
      await panel.getByRole('button', { name: "Can't go" }).click();
      await expect(panel.getByText("You have said that you can't come")).toBeVisible();
      expect(await read(host, event)).toEqual([['declined', null]]);
      await panel.getByRole('button', { name: 'Maybe' }).click();
      await expect(panel.getByText('You might go')).toBeVisible();
      await panel.getByRole('button', { name: "Can't go" }).click();
      await expect(panel.getByText("You have said that you can't come")).toBeVisible();
      expect(await read(host, event)).toEqual([['declined', null]]);
    });

    test('private: the organizer invites those who have answered when the event becomes private', async ({
      page,
      createPerson,
      signIn,
    }) => {
      const [host, guest] = [await createPerson(), await createPerson()];
      const event = await newEvent(host);
      await setRsvp({ client: guest.client, path: { id: event.id }, body: { status: 'going' } });
      await signIn(page.context(), host);
      await page.goto(`/e/${event.id}/edit`);
      if (javaScriptEnabled) await openStep(page, 'Guests');
      const offer = page.getByLabel('Invite everyone who has answered');
      await expect(offer).toBeHidden();
      await page.getByLabel('Only people you invite').check();
      await expect(offer).toBeChecked();
      expect(await overflowOf(page)).toBe(0);
      await page.getByRole('button', { name: 'Save' }).first().click();
      await expect(page).toHaveURL(new RegExp(`/e/${event.id}(\\?|$)`));
      await expect(page.getByText('only people who are invited see it')).toBeVisible();
      const { data } = await getEvent({ client: guest.client, path: { id: event.id } });
      expect([data.visibility, data.myInvitation?.status]).toEqual(['private', 'going']);
    });
  });
}
