/** Administration: reports, accounts and switches. */
import { report } from '@potluck/client';
import { expect, newAdmin, newEvent, overflowOf, test } from './fixtures.ts';

test('admin: suspends a person from a report; the person is signed out at the next action; "Restore" works', async ({
  page,
  context,
  createPerson,
  signIn,
  openBrowser,
}) => {
  const name = `Otto ${crypto.randomUUID().slice(0, 8)}`;
  const [admin, offender, witness] = [await newAdmin(), await createPerson(name), await createPerson()];
  const event = await newEvent(offender, { title: 'Dubious party' });
  await report({
    client: witness.client,
    body: { subject: { type: 'event', id: event.id }, reason: 'scam', text: 'Not real' },
  });
  const theirs = await openBrowser(offender);
  await theirs.goto('/settings');
  await signIn(context, admin);
  await page.goto('/admin');
  const entry = page.getByRole('listitem').filter({ hasText: name });
  await expect(entry).toContainText('Not real');
  await entry.getByText('Act on it').click();
  await entry.getByLabel('Reason').fill('Fraud');
  await entry.getByRole('button', { name: `Suspend ${name}` }).click();
  await expect(page.getByRole('status')).toContainText('suspended');
  await theirs.goto('/mine');
  await expect(theirs.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await page.goto(`/admin/accounts?q=${encodeURIComponent(name)}&suspended=on`);
  await page.getByRole('button', { name: 'Restore' }).first().click();
  await expect(page.getByRole('status')).toContainText('restored');
});

test('admin: a lost response is explained, and what was entered is kept', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [admin, person] = [await newAdmin(), await createPerson(`Lena ${crypto.randomUUID().slice(0, 8)}`)];
  await signIn(context, admin);
  await page.goto(`/admin/accounts?q=${encodeURIComponent(person.name)}`);
  await page.waitForLoadState('networkidle');
  await page.route(/\?\/suspend/, (route) => route.abort());
  await page.getByText('Suspend', { exact: true }).click();
  await page.getByLabel('Reason').fill('Fraud');
  const suspend = page.getByRole('button', { name: `Suspend ${person.name}` });
  await suspend.click();
  await expect(page.getByRole('alert')).toHaveText('That did not work. Please try again.');
  await expect(page.getByLabel('Reason')).toHaveValue('Fraud');
  await page.unroute(/\?\/suspend/);
  await suspend.click();
  await expect(page.getByRole('status')).toContainText('suspended');
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('admin: a guest is refused, and no data of administrators is in the page', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [guest, offender] = [await createPerson(), await createPerson('Hidden Offender')];
  await report({
    client: guest.client,
    body: { subject: { type: 'user', id: offender.id }, reason: 'spam' },
  });
  await signIn(context, guest);
  for (const path of ['/admin', '/admin/accounts', '/admin/switches', '/admin/audit']) {
    const response = await page.goto(path);
    expect(response?.status()).toBe(403);
    expect(await response?.text()).not.toMatch(/Hidden Offender|\+47\d{8}/);
    await expect(page.getByText('Only administrators may see this.')).toBeVisible();
  }
});

test('admin: a visitor who is signed out signs in first; the pages fit a phone', async ({
  page,
  context,
  signIn,
}) => {
  await page.goto('/admin/audit');
  await expect(page).toHaveURL('/sign-in?next=%2Fadmin%2Faudit');
  await signIn(context, await newAdmin());
  for (const path of ['/admin', '/admin/accounts', '/admin/switches', '/admin/audit']) {
    await page.goto(path);
    expect(await overflowOf(page), path).toBe(0);
  }
});
