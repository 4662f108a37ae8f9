/** What a visitor presses before the sign-in is done after it, and the page says so. */
import { getEvent, getMe, getUser, listGuests, listItems, updateMe } from '@potluck/client';
import { giveName, openEvent, signInHere, signUpHere } from './event-steps.ts';
import { expect, newEvent, newItem, newPhone, type Person, test } from './fixtures.ts';

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
      await signUpHere(page, javaScriptEnabled);
      const saved = page.getByRole('button', { name: 'Saved' });
      await expect(saved).toHaveAttribute('aria-pressed', 'true');
      await expect(page.getByText('Saved. You find it under')).toBeVisible();
      await saved.click();
      await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeVisible();
    });

    test('claims: signed out, "Maybe" of a guest with a claim asks about it after the sign-in', async ({
      page,
      createClaim,
    }) => {
      const { event, guest } = await createClaim();
      await (javaScriptEnabled ? openEvent(page, event) : page.goto(`/e/${event.id}`));
      await page.getByRole('button', { name: 'Maybe', exact: true }).click();
      await signInHere(page, guest.phone, javaScriptEnabled);
      await expect(page.getByRole('heading', { name: 'Do you still bring this?' })).toBeVisible();
      expect((await getEvent({ client: guest.client, path: { id: event.id } })).data.myRsvp).toBe('going');
      await page.getByRole('button', { name: 'Give it back, so that others can bring it' }).click();
      await expect(page.getByRole('status').filter({ hasText: 'You might go' })).toBeVisible();
      const { data } = await listItems({ client: guest.client, path: { id: event.id } });
      expect(data.data[0]?.quantityClaimed).toBe(0);
    });

    test('follow: signed out, "Follow" survives the sign-in, and the page says so', async ({
      page,
      createPerson,
    }) => {
      const person = await createPerson('Bela South');
      await page.goto(`/u/${person.id}`, { waitUntil: 'networkidle' });
      await page.getByRole('link', { name: 'Follow Bela South' }).click();
      await expect(page.getByText('After that you follow Bela South.')).toBeVisible();
      await signUpHere(page, javaScriptEnabled);
      await expect(page.getByRole('button', { name: 'Following Bela South: unfollow' })).toBeVisible();
      await expect(page.getByText('You follow Bela South.')).toBeAttached();
      const { data } = await getUser({ client: person.client, path: { id: person.id } });
      expect(data.followersCount).toBe(1);
    });

    test('name: a new account is asked for its name before what it has chosen is public', async ({
      page,
      createPerson,
    }) => {
      const host = await createPerson();
      const event = await newEvent(host);
      await (javaScriptEnabled ? openEvent(page, event) : page.goto(`/e/${event.id}`));
      await page.getByRole('button', { name: "I'm going" }).click();
      await signInHere(page, newPhone(), javaScriptEnabled);
      await expect(page.getByRole('heading', { name: 'What is your name?' })).toBeVisible();
      expect(await goingCount(host, event.id)).toBe(0);
      await giveName(page, 'Nadia Berg');
      await expect(page.getByText("You're going")).toBeVisible();
      const guests = await listGuests({ client: host.client, path: { id: event.id } });
      expect(guests.data.data.map(({ user }) => user.name)).toEqual(['Nadia Berg']);
    });

    test('name: an event is not published in a generated name, and a draft needs none', async ({
      page,
      createPerson,
      signIn,
    }) => {
      const { context, person } = { context: page.context(), person: await createPerson() };
      const { username } = (await getMe({ client: person.client })).data;
      await updateMe({ client: person.client, body: { name: username } });
      await signIn(context, person);
      const event = await newEvent(person, { visibility: 'private' });
      await page.goto(`/e/${event.id}/edit`, { waitUntil: 'networkidle' });
      await page.getByRole('button', { name: 'Publish' }).click();
      const field = page.getByLabel('Your name');
      await expect(field).toHaveAccessibleDescription(/Guests see who invites them/);
      await expect(field).toHaveAttribute('aria-invalid', 'true');
      await field.fill('Nadia Berg');
      await page.getByRole('button', { name: 'Publish' }).click();
      await expect(page).toHaveURL(/published/);
      expect((await getMe({ client: person.client })).data.name).toBe('Nadia Berg');
    });
  });
}

async function goingCount({ client }: Person, id: string): Promise<number> {
  return (await getEvent({ client, path: { id } })).data.goingCount;
}

test('name: a sheet that is closed before the name leaves the visitor signed in, and "I\'m going" asks again', async ({
  page,
  createPerson,
}) => {
  const host = await createPerson();
  const event = await newEvent(host);
  await openEvent(page, event);
  await page.getByRole('button', { name: "I'm going" }).click();
  await signInHere(page, newPhone());
  const dialog = page.getByRole('dialog', { name: 'What is your name?' });
  await expect(dialog.getByLabel('Your name')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('button', { name: 'Your account' })).toBeVisible();
  await page.getByRole('button', { name: "I'm going" }).click();
  await expect(page.getByText(/you're going: Harbour potluck/)).toBeVisible();
  expect(await goingCount(host, event.id)).toBe(0);
  await giveName(page);
  await expect(page.getByRole('status').filter({ hasText: "You're going" })).toBeVisible();
  expect(await goingCount(host, event.id)).toBe(1);
});

test('name: without one, "I\'ll take it" of a wish asks for it, and then takes the wish', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const host = await createPerson();
  const event = await newEvent(host);
  const wish = await newItem(host, event.id, { title: 'Wine glasses', kind: 'wish' });
  const guest = await createPerson();
  const { username } = (await getMe({ client: guest.client })).data;
  await updateMe({ client: guest.client, body: { name: username } });
  await signIn(context, guest);
  await openEvent(page, event);
  await expect(page.getByText("If you take something, we also note that you're going.")).toBeVisible();
  await page.getByRole('button', { name: "I'll take it: Wine glasses" }).click();
  await expect(page.getByText(/you're going and take care of this: Wine glasses/)).toBeVisible();
  expect(await goingCount(host, event.id)).toBe(0);
  await giveName(page);
  await expect(page.getByText('2 still needed')).toBeVisible();
  const { data } = await listItems({ client: guest.client, path: { id: event.id } });
  expect(data.data.find(({ id }) => id === wish.id)?.myClaim?.quantity).toBe(1);
});

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
