/** Signing in at an OpenID Connect provider, which is a server of its own, and the identity of an account. */
import type { Page } from '@playwright/test';
import { getMe } from '@potluck/client';
import { giveName } from './event-steps.ts';
import { expect, newEvent, newPhone, overflowOf, readCode, signOut, test } from './fixtures.ts';

let names = 0;
const newName = () => `villager-${process.pid}-${++names}`;

/** Enters a name on the page of the provider. */
async function logIn(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Log in' }).click();
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test('oidc: the button leads to the provider and back to where the sign-in began; then it is the first way', async ({
      page,
    }) => {
      await page.goto('/sign-in?next=/people?q=ada');
      await expect(page.getByLabel('Your phone number')).toBeVisible();
      expect(await overflowOf(page)).toBe(0);
      await page.getByRole('button', { name: 'Continue with Village account' }).click();
      await logIn(page, newName());
      await giveName(page);
      await expect(page).toHaveURL('/people?q=ada');
      await expect(page.getByRole('button', { name: 'Your account' })).toBeVisible();
      await signOut(page);
      await page.goto('/sign-in');
      const main = page.getByRole('main');
      const button = await main.getByRole('button', { name: 'Continue with Village account' }).boundingBox();
      const field = await main.getByLabel('Your phone number').boundingBox();
      expect(button?.y).toBeLessThan(field?.y ?? 0);
      expect(button?.height).toBeGreaterThanOrEqual(44);
    });

    test('oidc: a cancelled sign-in is explained, and leads to the other ways', async ({ page }) => {
      await page.goto('/sign-in');
      await page.getByRole('button', { name: 'Continue with Village account' }).click();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await expect(page.getByRole('alert')).toContainText('You were not signed in there.');
      await page.getByRole('link', { name: 'Choose how to sign in' }).click();
      await expect(page.getByLabel('Your phone number')).toBeVisible();
    });

    test('oidc: an address with a state of another browser is explained', async ({ page }) => {
      await page.goto('/sign-in/oidc?state=of-another&code=x');
      await expect(page.getByRole('alert')).toContainText('began in another browser');
      await page.goto('/sign-in/oidc');
      await expect(page).toHaveURL('/sign-in');
    });

    test('oidc: what the visitor chose on the page of an event is done after a press on the button', async ({
      page,
      createPerson,
    }) => {
      const event = await newEvent(await createPerson());
      await page.goto(`/sign-in?next=/e/${event.id}&eventId=${event.id}&rsvp=going`);
      await page.getByRole('button', { name: 'Continue with Village account' }).click();
      await logIn(page, newName());
      await expect(page.getByText(`After that we note that you're going: ${event.title}`)).toBeVisible();
      await page.getByRole('button', { name: 'Yes, continue' }).click();
      await giveName(page);
      await expect(page).toHaveURL(`/e/${event.id}`);
      await expect(page.getByText("You're going")).toBeVisible();
    });

    test('settings: an identity is linked and unlinked; the last way to sign in stays', async ({
      page,
      context,
      createPerson,
      signIn,
    }) => {
      const me = await createPerson();
      await signIn(context, me);
      await page.goto('/settings/sign-in');
      const card = page.getByRole('region', { name: 'Village account' });
      await card.getByRole('button', { name: 'Link' }).click();
      const name = newName();
      await logIn(page, name);
      await expect(page.getByText('Your sign-in has been changed.')).toBeVisible();
      await expect(card.getByText('You can sign in with your account there.')).toBeVisible();
      expect((await getMe({ client: me.client })).data.oidc).toMatch(new RegExp(` ${name}$`));
      expect(await overflowOf(page)).toBe(0);
      await page.getByRole('button', { name: 'Remove the number' }).click();
      await expect(card.getByRole('button', { name: 'Unlink' })).toHaveCount(0);
      const phone = newPhone();
      const number = page.getByRole('region', { name: 'Phone number' });
      await number.getByText('Add a phone number').click();
      await number.getByLabel('Your phone number').fill(phone);
      await number.getByRole('button', { name: 'Send code' }).click();
      await number.getByLabel('Code').fill(await readCode(page));
      await number.getByRole('button', { name: 'Confirm' }).click();
      await card.getByRole('button', { name: 'Unlink' }).click();
      await expect(card.getByText('Link your account at Village account')).toBeVisible();
      expect((await getMe({ client: me.client })).data).toMatchObject({ phone, oidc: null });
    });

    test('delete: an account with an identity alone is deleted with the code on the page', async ({
      page,
    }) => {
      await page.goto('/sign-in?next=/settings/delete');
      await page.getByRole('button', { name: 'Continue with Village account' }).click();
      await logIn(page, newName());
      await giveName(page);
      await page.getByRole('button', { name: 'Send the code for deletion' }).click();
      const text = await page.getByText('enter this code').innerText();
      await page.getByLabel('Code').fill(/\d{6}/.exec(text)?.[0] ?? '');
      await page.getByRole('button', { name: 'Delete my account now' }).click();
      await expect(page).toHaveURL('/goodbye');
    });
  });
}
