/** Changes of the sign-in in a session that began a while ago: a code confirms that it is the person. */
import { getMe } from '@potluck/client';
import { ageSessions } from './database.ts';
import { providerPort } from './environment.ts';
import { expect, newAddress, overflowOf, readCode, test } from './fixtures.ts';

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test('settings: a code confirms an added address and a removal; what was entered stays', async ({
      page,
      context,
      createPerson,
      signIn,
    }) => {
      const me = await createPerson();
      await signIn(context, me);
      await ageSessions(me);
      await page.goto('/settings/sign-in');
      const [number, address, proof] = [
        page.getByRole('region', { name: 'Phone number' }),
        page.getByRole('region', { name: 'Mail address' }),
        page.getByRole('region', { name: 'First confirm that it is you' }),
      ];
      await expect(proof).toHaveCount(0);
      const mail = newAddress();
      await address.getByText('Add a mail address').click();
      await address.getByLabel('Your mail address').fill(mail);
      await address.getByRole('button', { name: 'Send code' }).click();
      const code = await readCode(page);
      await address.getByLabel('Code', { exact: true }).fill(code);
      await address.getByRole('button', { name: 'Confirm' }).click();
      await expect(proof.getByText('You signed in a while ago.')).toBeVisible();
      await proof.getByRole('button', { name: `Send a code to ${me.phone}` }).click();
      await expect(proof.getByText(`We sent a code to ${me.phone}`)).toBeVisible();
      const confirmCode = await readCode(page);
      await expect(address.getByLabel('Code', { exact: true })).toHaveValue(code);
      const field = address.getByLabel(`Code sent to ${me.phone}`);
      await field.fill('12');
      await address.getByRole('button', { name: 'Confirm' }).click();
      await expect(field).toHaveAccessibleDescription(/not valid/);
      expect(await overflowOf(page)).toBe(0);
      await field.fill(confirmCode);
      await address.getByRole('button', { name: 'Confirm' }).click();
      await expect(page.getByText('Your sign-in has been changed.')).toBeVisible({
        visible: javaScriptEnabled,
      });
      await expect(address.getByText(mail, { exact: true })).toBeVisible();

      await number.getByRole('button', { name: 'Remove the number' }).click();
      await proof.getByRole('button', { name: `Send a code to ${mail}` }).click();
      await expect(proof.getByText(`We sent a code to ${mail}`)).toBeVisible();
      await number.getByLabel(`Code sent to ${mail}`).fill(await readCode(page));
      await number.getByRole('button', { name: 'Remove the number' }).click();
      await expect(number.getByText('You have not added one yet.')).toBeVisible();
      await expect(proof).toHaveCount(0);
      expect((await getMe({ client: me.client })).data).toMatchObject({ phone: null, email: mail });
    });

    test('settings: an identity is linked once a code confirms it', async ({
      page,
      context,
      createPerson,
      signIn,
    }) => {
      const me = await createPerson();
      await signIn(context, me);
      await ageSessions(me);
      await page.goto('/settings/sign-in');
      const card = page.getByRole('region', { name: 'Village account' });
      await card.getByRole('button', { name: 'Link' }).click();
      await expect(page.getByRole('alert')).toContainText('First confirm that it is you');
      await page.getByRole('main').getByRole('link').click();
      await page.getByRole('button', { name: `Send a code to ${me.phone}` }).click();
      await card.getByLabel(`Code sent to ${me.phone}`).fill(await readCode(page));
      expect(await overflowOf(page)).toBe(0);
      await card.getByRole('button', { name: 'Link' }).click();
      await expect(page).toHaveURL(new RegExp(`:${providerPort}/`));
    });
  });
}
