/** Signing in by mail, and the number and address of an account. */

import type { Page } from '@playwright/test';
import { getMe, requestMailCode } from '@potluck/client';
import { giveName } from './event-steps.ts';
import { expect, newAddress, newPhone, overflowOf, readCode, signOut, test } from './fixtures.ts';

/** Chooses the mail address on the open form, and signs in. */
async function signInByMail(page: Page, address: string, isScripted: boolean): Promise<void> {
  await page.getByLabel('Your mail address').fill(address);
  await page.getByRole('button', { name: 'Send code' }).click();
  await page.getByLabel('Code').fill(await readCode(page));
  // With scripts, a complete code submits the form.
  if (!isScripted) await page.getByRole('button', { name: 'Sign in' }).click();
  await giveName(page);
  await expect(page.getByRole('button', { name: 'Your account' })).toBeVisible();
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test('mail sign-in: the phone is first, then the last used way; an address that is none is explained', async ({
      page,
    }) => {
      await page.goto('/sign-in?next=/people');
      await expect(page.getByLabel('Your phone number')).toBeVisible();
      await page.getByRole('link', { name: 'Use a mail address instead' }).click();
      const field = page.getByLabel('Your mail address');
      await field.fill('mara..l@example.org');
      await page.getByRole('button', { name: 'Send code' }).click();
      await expect(field).toHaveAccessibleDescription(/Please enter a mail address/);
      await expect(field).toHaveValue('mara..l@example.org');
      await signInByMail(page, newAddress(), javaScriptEnabled);
      await expect(page).toHaveURL('/people');
      await signOut(page);
      await page.goto('/sign-in');
      await expect(page.getByLabel('Your mail address')).toBeVisible();
      await page.getByRole('link', { name: 'Use a phone number instead' }).click();
      await expect(page.getByLabel('Your phone number')).toBeVisible();
      expect(await overflowOf(page)).toBe(0);
    });

    test('mail link: its page has one button, which signs in once', async ({
      page,
      context,
      createPerson,
    }) => {
      const { client } = await createPerson();
      const email = newAddress();
      const { data } = await requestMailCode({ client, body: { email } });
      const link = new URL(data.devLink ?? '');
      const path = link.pathname + link.search;
      await page.goto(path);
      expect(await context.cookies()).toEqual([]);
      const shown = `${email.charAt(0)}•••@${email.split('@')[1]}`;
      await expect(page.getByRole('main')).toContainText(`This link signs in: ${shown}`);
      await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
      await giveName(page);
      await expect(page.getByRole('button', { name: 'Your account' })).toBeVisible();
      await context.clearCookies();
      await page.goto(path);
      await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
      await expect(page.getByRole('alert')).toContainText('has been used, or is too old');
      await page.getByRole('link', { name: 'Get a new one' }).click();
      await expect(page.getByLabel('Your mail address')).toBeVisible();
    });

    test('settings: an address is added and removed, the number is changed; the last way stays', async ({
      page,
      context,
      createPerson,
      signIn,
    }) => {
      const me = await createPerson();
      await signIn(context, me);
      await page.goto('/settings/sign-in');
      const [number, address] = [
        page.getByRole('region', { name: 'Phone number' }),
        page.getByRole('region', { name: 'Mail address' }),
      ];
      await expect(number.getByText(me.phone)).toBeVisible();
      await expect(page.getByRole('button', { name: 'Remove the number' })).toHaveCount(0);
      const mail = newAddress();
      await address.getByText('Add a mail address').click();
      await address.getByLabel('Your mail address').fill(mail);
      await address.getByRole('button', { name: 'Send code' }).click();
      await address.getByLabel('Code').fill('000000');
      const code = await readCode(page);
      await address.getByRole('button', { name: 'Confirm' }).click();
      await expect(address.getByLabel('Code')).toHaveAccessibleDescription(/not valid/);
      await address.getByLabel('Code').fill(code);
      await address.getByRole('button', { name: 'Confirm' }).click();
      await expect(address.getByText('Change the address')).toBeVisible();
      await expect(address.getByText(mail, { exact: true })).toBeVisible();
      const replies = address.getByLabel('Guests can reply to mails about my events');
      await expect(replies).not.toBeChecked();
      await expect(replies).toHaveAccessibleDescription(new RegExp(`${mail}.*see this address`));
      await replies.check();
      await address.getByRole('button', { name: 'Save' }).click();
      await expect(async () => {
        expect((await getMe({ client: me.client })).data.mailReplies).toBe(true);
      }).toPass();
      await number.getByText('Change the number').click();
      const phone = newPhone();
      await number.getByLabel('Your phone number').fill(phone);
      await number.getByRole('button', { name: 'Send code' }).click();
      await number.getByLabel('Code').fill(await readCode(page));
      await number.getByRole('button', { name: 'Confirm' }).click();
      await expect(number.getByText(phone, { exact: true })).toBeVisible();
      expect((await getMe({ client: me.client })).data).toMatchObject({ phone, email: mail });
      await number.getByRole('button', { name: 'Remove the number' }).click();
      await expect(number.getByText('You have not added one yet.')).toBeVisible();
      await expect(page.getByRole('button', { name: 'Remove the address' })).toHaveCount(0);
      expect(await overflowOf(page)).toBe(0);
    });
  });
}
