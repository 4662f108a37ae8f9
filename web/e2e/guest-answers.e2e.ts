/** Answering without an account, and the page of such a guest. */
import { getEvent, listItems } from '@potluck/client';
import { expect, newAddress, newEvent, newItem, overflowOf, readCode, test } from './fixtures.ts';

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test('guest: from the link of an event to an answer with an item, in 5 taps, 2 fields and the code', async ({
      page,
      createPerson,
    }) => {
      const host = await createPerson();
      const event = await newEvent(host);
      await newItem(host, event.id, { title: 'Sourdough bread' });
      let taps = 0;
      const tap = async (name: string, role: 'link' | 'button' = 'button') => {
        taps++;
        await page.getByRole(role, { name }).click();
      };
      await page.goto(`/e/${event.id}`);
      await tap('Answer without an account', 'link');
      await page.getByLabel('Your name').fill('Nora');
      await page.getByLabel('Your mail address').fill(newAddress());
      taps++;
      await page.getByRole('checkbox', { name: 'Sourdough bread' }).check();
      expect(await overflowOf(page)).toBe(0);
      await tap('Send code');
      const code = await readCode(page);
      await page.getByRole('textbox', { name: 'Code' }).fill(code);
      // With scripts, the sixth digit sends it.
      if (!javaScriptEnabled) await tap('Send my answer');
      await expect(page.getByRole('status').filter({ hasText: 'You are coming, Nora.' })).toBeVisible();
      expect(taps).toBeLessThanOrEqual(5);
      const { client } = host;
      const read = async () => {
        const path = { id: event.id };
        const record = await getEvent({ client, path });
        const items = await listItems({ client, path });
        return [record.data.goingCount, items.data.data[0]?.quantityClaimed];
      };
      expect(await read()).toEqual([1, 1]);
      // The page of the event knows the guest, and leads back.
      await page.goto(`/e/${event.id}`);
      await page.getByRole('link', { name: 'Your answer' }).click();
      // The page of the event has a button whose name begins alike.
      await page.getByRole('button', { name: 'Give back', exact: true }).click();
      await expect(page.getByRole('button', { name: 'I bring this' })).toBeVisible();
      await page.getByLabel('How many people come').selectOption('3');
      await page.getByRole('button', { name: 'Save' }).click();
      await expect
        .poll(async () => (await getEvent({ client, path: { id: event.id } })).data.partyCount)
        .toBe(3);
      await page.getByRole('button', { name: 'Delete my answer' }).click();
      await expect(page).toHaveURL(`/e/${event.id}`);
      await expect.poll(read).toEqual([0, 0]);
    });

    test('guest: a wrong code is explained, and what was entered stays', async ({ page, createPerson }) => {
      const event = await newEvent(await createPerson());
      await page.goto(`/e/${event.id}/answer?by=phone`);
      await page.getByLabel('Your name').fill('Nora');
      await page.getByLabel('Your phone number').fill('+47 1');
      await page.getByRole('button', { name: 'Send code' }).click();
      await expect(page.getByLabel('Your name')).toHaveValue('Nora');
      await expect(page.getByRole('alert')).toBeVisible();
      await page
        .getByLabel('Your phone number')
        .fill(`+474${Math.floor(1_000_000 + Math.random() * 8_999_999)}`);
      await page.getByRole('button', { name: 'Send code' }).click();
      const code = await readCode(page);
      const wrong = code === '000000' ? '000001' : '000000';
      await page.getByRole('textbox', { name: 'Code' }).fill(wrong);
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Send my answer' }).click();
      await expect(page.getByRole('alert')).toContainText('not valid');
      await page.getByRole('textbox', { name: 'Code' }).fill(code);
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Send my answer' }).click();
      await expect(page.getByRole('status').filter({ hasText: 'You are coming, Nora.' })).toBeVisible();
    });

    test('guest: the contact of an account answers as that account, with the same code', async ({
      page,
      createPerson,
    }) => {
      const host = await createPerson();
      const event = await newEvent(host);
      const person = await createPerson('Ada Lovelace');
      await page.goto(`/e/${event.id}/answer?by=phone`);
      await page.getByLabel('Your name').fill('Nora');
      await page.getByLabel('Your phone number').fill(person.phone);
      await page.getByRole('button', { name: 'Send code' }).click();
      await page.getByRole('textbox', { name: 'Code' }).fill(await readCode(page));
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Send my answer' }).click();
      await page.getByRole('button', { name: 'Answer with your account' }).click();
      await expect(
        page.getByRole('status').filter({ hasText: 'You are coming, Ada Lovelace.' }),
      ).toBeVisible();
      const { data } = await getEvent({ client: person.client, path: { id: event.id } });
      expect(data.myRsvp).toBe('going');
    });

    test('guest: takes seats for a number of people, and gives them back', async ({ page, createPerson }) => {
      const host = await createPerson();
      const event = await newEvent(host, { capacity: 2 });
      await page.goto(`/e/${event.id}/answer`);
      await page.getByLabel('Your name').fill('Nora');
      await page.getByLabel('How many people come').selectOption('2');
      await page.getByLabel('Your mail address').fill(newAddress());
      await page.getByRole('button', { name: 'Send code' }).click();
      await page.getByRole('textbox', { name: 'Code' }).fill(await readCode(page));
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Send my answer' }).click();
      await expect(page.getByText('2 seats are yours.')).toBeVisible();
      expect(await overflowOf(page)).toBe(0);
      const booked = async () =>
        (await getEvent({ client: host.client, path: { id: event.id } })).data.bookedCount;
      expect(await booked()).toBe(2);
      await page.getByRole('button', { name: "Can't go" }).click();
      await expect.poll(booked).toBe(0);
    });
  });
}
