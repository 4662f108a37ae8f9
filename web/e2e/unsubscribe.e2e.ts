/** The page that a mail leads to, which stops mails without a sign-in. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { getNotificationSettings, updateNotificationSettings } from '@potluck/client';
import { unsubscribeLinks } from '../../src/modules/notifications/unsubscribe/unsubscribe-tokens.ts';
import { dataDir, url } from './environment.ts';
import { expect, overflowOf, type Person, test } from './fixtures.ts';

/** The address of the page in a mail to a person about a cancelled event. */
async function pageOf({ id: userId }: Person): Promise<string> {
  const secretKey = (await readFile(path.join(dataDir, 'secret-key'), 'utf8')).trim();
  return unsubscribeLinks({ publicUrl: url, secretKey }, { userId, kind: 'eventCancelled' }).page;
}
const levelsOf = async ({ client }: Person) => (await getNotificationSettings({ client })).data;

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test('unsubscribe: the page stops nothing by itself; its buttons stop the kind, and then all mails', async ({
      page,
      createPerson,
    }) => {
      const person = await createPerson();
      await page.goto(await pageOf(person));
      await expect(page.getByText('You get mails of this kind: Cancellations.')).toBeVisible();
      expect(await overflowOf(page)).toBe(0);
      expect((await levelsOf(person)).eventCancelled).toBe('all');
      await page.getByRole('button', { name: 'Stop these mails' }).click();
      await expect(page.getByRole('status')).toContainText('no more mails of this kind: Cancellations.');
      expect(await levelsOf(person)).toMatchObject({ eventCancelled: 'push', eventChanged: 'all' });
      await page.getByRole('button', { name: 'Stop all mails' }).click();
      await expect(page.getByRole('status')).toContainText('no more mails about events and people');
      expect(await levelsOf(person)).toMatchObject({ eventChanged: 'push', message: 'push' });
      await expect(page.getByRole('button', { name: 'Stop' })).toHaveCount(0);
    });
  });
}

test('unsubscribe: an incomplete link is explained, and a forged one stops nothing', async ({
  page,
  createPerson,
}) => {
  const person = await createPerson();
  await page.goto('/unsubscribe?token=eventCa');
  await expect(page.getByRole('alert')).toContainText('This link is incomplete');
  await page.goto((await pageOf(person)).slice(0, -3));
  await page.getByRole('button', { name: 'Stop all mails' }).click();
  await expect(page.getByRole('alert')).toBeVisible();
  expect((await levelsOf(person)).eventCancelled).toBe('all');
});

test('notification settings: mail is a choice for people with an address, and stays what it was for others', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const person = await createPerson();
  await updateNotificationSettings({ client: person.client, body: { follower: 'off' } });
  await signIn(context, person);
  await page.goto('/notifications/settings');
  await expect(page.getByLabel('Cancellations')).toHaveValue('all');
  await expect(page.getByLabel('Cancellations').getByRole('option')).toHaveText([
    'Off',
    'In the list only',
    'In the list and on my devices',
  ]);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  expect(await levelsOf(person)).toMatchObject({ eventCancelled: 'all', follower: 'off', rsvps: 'push' });
  await page.getByRole('link', { name: 'Add a mail address' }).click();
  await expect(page).toHaveURL('/settings/sign-in');
});
