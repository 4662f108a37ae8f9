/** The page that the link of an invitation opens, and the answers on it. */
import {
  type Event,
  getEvent,
  invite,
  listInvitations,
  updateEvent,
  withdrawInvitation,
} from '@potluck/client';
import { expect, newAddress, newEvent, overflowOf, type Person, readCode, test } from './fixtures.ts';

type Invited = Parameters<typeof invite>[0]['body']['people'][number];

async function newInvitation({ client }: Person, { id }: Event, person: Invited) {
  const { data } = await invite({
    client,
    path: { id },
    body: { people: [person], message: 'It would not be the same without you.' },
  });
  const [made] = data.data;
  if (!made?.url) throw new Error('The invitation has no link');
  return { id: made.id, path: new URL(made.url).pathname };
}

async function read({ client }: Person, { id }: Event) {
  const { data } = await listInvitations({ client, path: { id } });
  const [first] = data.data;
  return first && { status: first.status, extraGuests: first.extraGuests, reply: first.reply };
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test('invitation: the link shows who invites to what, takes an answer, and changes it', async ({
      page,
      createPerson,
    }) => {
      const host = await createPerson();
      const event = await newEvent(host, { visibility: 'private', description: 'Bring what you like.' });
      const { path } = await newInvitation(host, event, { name: 'Ana' });
      const response = await page.goto(path);
      expect(response?.headers()).toMatchObject({
        'referrer-policy': 'no-referrer',
        'cache-control': 'private, no-store',
      });
      await expect(page.locator('meta[name=robots]')).toHaveAttribute('content', 'noindex');
      await expect(page.getByText(`Hi Ana! ${host.name} invites you`)).toBeVisible();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Harbour potluck');
      await expect(page.getByText('It would not be the same without you.')).toBeVisible();
      await expect(page.getByText('Aker Brygge, Oslo')).toBeVisible();
      const links = await page
        .locator('a[href^="http"]')
        .evaluateAll((all) => all.map((a) => (a as HTMLAnchorElement).href));
      expect(links.filter((link) => link.includes(path.slice(3)))).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
      expect(await read(host, event)).toMatchObject({ status: 'pending' });

      await page.getByText('Bring people or add a note').click();
      await page.getByLabel('How many people come').selectOption('3');
      await page.getByLabel(`A few words for ${host.name}`).fill('With pleasure!');
      await page.getByRole('button', { name: "I'm going" }).click();
      await expect(page.getByRole('status').filter({ hasText: "You're going · 3 people" })).toBeVisible();
      await expect(page).toHaveURL(path);
      expect(await read(host, event)).toEqual({ status: 'going', extraGuests: 2, reply: 'With pleasure!' });
      // The browser is the guest of the event now, so the private event opens.
      await page.getByRole('link', { name: 'More about the event' }).click();
      await expect(page.getByRole('link', { name: 'Your answer' })).toBeVisible();

      await page.goto(path);
      await page.getByRole('button', { name: "Can't go" }).click();
      await expect(page.getByText("You have said that you can't come")).toBeVisible();
      const { data } = await getEvent({ client: host.client, path: { id: event.id } });
      expect(data.goingCount).toBe(0);
      expect(await read(host, event)).toMatchObject({ status: 'declined' });
    });

    test('invitation: a contact without a name is asked for one, and declines without it', async ({
      page,
      createPerson,
    }) => {
      const host = await createPerson();
      const event = await newEvent(host);
      const { path } = await newInvitation(host, event, { email: newAddress() });
      await page.goto(path);
      await page.getByRole('button', { name: "Can't go" }).click();
      await expect(page.getByText("You have said that you can't come")).toBeVisible();
      await page.getByLabel('Your name').fill('Nora');
      await page.getByRole('button', { name: 'Maybe' }).click();
      await expect(page.getByRole('status').filter({ hasText: 'You might go' })).toBeVisible();
      expect(await read(host, event)).toMatchObject({ status: 'interested' });
    });

    test('invitation: a link for many leads to an answer with a code, also to a private event', async ({
      page,
      createPerson,
    }) => {
      const host = await createPerson();
      const enabledModules = ['guestRsvp', 'bringList'] as const;
      const event = await newEvent(host, { visibility: 'private', enabledModules: [...enabledModules] });
      const { path } = await newInvitation(host, event, { name: 'The choir', maxUses: 5 });
      await page.goto(path);
      await expect(page.getByText(`${host.name} invites you`, { exact: true })).toBeVisible();
      await page.getByRole('link', { name: 'Answer without an account' }).click();
      await page.getByLabel('Your name').fill('Nora');
      await page.getByLabel('Your mail address').fill(newAddress());
      await page.getByRole('button', { name: 'Send code' }).click();
      const code = await readCode(page);
      await page.getByRole('textbox', { name: 'Code' }).fill(code);
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Send my answer' }).click();
      await expect(page.getByRole('status').filter({ hasText: 'You are coming, Nora.' })).toBeVisible();
      const { data } = await listInvitations({ client: host.client, path: { id: event.id } });
      expect(data.data[0]?.uses).toBe(1);
    });

    test('invitation: who is signed in answers as themselves, where the invitation allows it', async ({
      page,
      context,
      createPerson,
      signIn,
    }) => {
      const host = await createPerson();
      const event = await newEvent(host);
      const guest = await createPerson();
      await signIn(context, guest);
      const { path } = await newInvitation(host, event, { name: 'The choir', maxUses: 5 });
      await page.goto(path);
      await expect(page.getByText(`You answer as ${guest.name}.`)).toBeVisible();
      await page.getByRole('button', { name: "I'm going" }).click();
      await expect(page.getByRole('status').filter({ hasText: "You're going" })).toBeVisible();
      const { data } = await getEvent({ client: guest.client, path: { id: event.id } });
      expect(data.myRsvp).toBe('going');

      const other = await newEvent(host, { title: 'Garden lunch' });
      const { path: foreign } = await newInvitation(host, other, { name: 'Ana', email: newAddress() });
      await page.goto(foreign);
      await page.getByRole('button', { name: "I'm going" }).click();
      await expect(page.getByRole('alert')).toContainText('for somebody else');
      await page.getByRole('link', { name: 'Not Ana? Answer as yourself' }).click();
      await expect(page).toHaveURL(`/e/${other.id}`);
    });

    test('invitation: links that are over say so', async ({ page, createPerson }) => {
      const host = await createPerson();
      const event = await newEvent(host);
      const { client } = host;
      const { id, path } = await newInvitation(host, event, { name: 'Ana' });
      const { path: kept } = await newInvitation(host, event, { name: 'Bo' });
      await withdrawInvitation({ client, path: { id } });
      for (const gone of [path, '/i/none', '/i/%00']) {
        const response = await page.goto(gone);
        expect(response?.status()).toBe(404);
        await expect(page.getByText('This invitation does not exist any more.')).toBeVisible();
      }
      await updateEvent({ client, path: { id: event.id }, body: { status: 'cancelled' } });
      await page.goto(kept);
      await expect(page.getByText('cancelled').first()).toBeVisible();
      await expect(page.getByRole('button', { name: "I'm going" })).toHaveCount(0);
    });
  });
}
