/** Administration: reports, accounts and switches. */
import AxeBuilder from '@axe-core/playwright';
import { report } from '@potluck/client';
import { expect, newAdmin, newEvent, overflowOf, test } from './fixtures.ts';

test('admin: a report of an event notifies the admin, who suspends its organizer; the person reads why, until "Restore"', async ({
  page,
  context,
  createPerson,
  signIn,
  openBrowser,
}) => {
  // Two people and an admin open twenty pages.
  test.setTimeout(60_000);
  const name = `Otto ${crypto.randomUUID().slice(0, 8)}`;
  const [admin, offender, witness] = [await newAdmin(), await createPerson(name), await createPerson()];
  const event = await newEvent(offender, { title: 'Dubious party' });
  const [theirs, witnessing] = [await openBrowser(offender), await openBrowser(witness)];
  await theirs.goto('/settings');
  // Three presses and no typed field report an event.
  await witnessing.goto(`/e/${event.id}`);
  await witnessing.getByRole('link', { name: 'Report this event' }).click();
  await witnessing.getByLabel('Fraud').check();
  await witnessing.getByRole('button', { name: 'Send' }).click();
  await expect(witnessing.getByRole('status')).toBeVisible();

  await signIn(context, admin);
  await expect(async () => {
    await page.goto('/notifications');
    await expect(page.getByRole('link', { name: /new reports?$/ })).toBeVisible({ timeout: 500 });
  }).toPass();
  // Five presses from the notification on; the reason is entered already.
  await page.getByRole('link', { name: /new reports?$/ }).click();
  await expect(page).toHaveURL('/admin/reports');
  const row = page.getByRole('listitem').filter({ hasText: name });
  await expect(row).toContainText('Reported: Fraud');
  await expect(row).toContainText(`Reported by ${witness.name}`);
  await expect(row).toContainText(/Otto .*Reported once · No other reports about Otto/);
  await row.getByRole('link', { name: 'Dubious party' }).click();
  await expect(page.getByRole('heading', { name: 'Dubious party' })).toBeVisible();
  await page.locator('summary', { hasText: `Suspend ${name}` }).click();
  await page.getByRole('textbox', { name: 'Reason' }).fill('Fraud: the party does not exist');
  await page.getByRole('button', { name: `Suspend ${name}` }).click();
  await expect(page.getByRole('status')).toContainText('suspended');

  await theirs.goto('/mine');
  await expect(theirs).toHaveURL('/suspended');
  await expect(theirs.getByText('Fraud: the party does not exist')).toBeVisible();
  await theirs.goto(`/e/${event.id}`);
  await expect(theirs).toHaveURL('/suspended');
  await signIn(theirs.context(), offender);
  await theirs.goto('/mine');
  await expect(theirs.getByText('Fraud: the party does not exist')).toBeVisible();
  await expect(theirs.getByRole('link', { name: 'Download my data' })).toBeVisible();

  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('status')).toContainText('restored');
  await signIn(theirs.context(), offender);
  await theirs.goto('/mine');
  await expect(theirs).toHaveURL('/mine');
});

test('admin: the overview shows the open report itself, the figures of the week, and faces', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [admin, offender, witness] = [await newAdmin(), await createPerson(), await createPerson()];
  const title = `Party ${crypto.randomUUID().slice(0, 8)}`;
  const { id } = await newEvent(offender, { title });
  await report({ client: witness.client, body: { subject: { type: 'event', id }, reason: 'spam' } });
  await signIn(context, admin);
  await page.goto('/admin');
  const row = page.getByRole('listitem').filter({ hasText: title });
  await expect(row).toContainText('Reported: Spam');
  await expect(row.locator('img')).toHaveAttribute('src', new RegExp(id));
  const figures = page.getByRole('region', { name: 'At a glance' });
  await expect(figures.getByRole('link', { name: /^[1-9]\d* open reports? .*Spam/ })).toHaveAttribute(
    'href',
    '/admin/reports',
  );
  await expect(figures.getByRole('link', { name: /events in the next 7 days/ })).toBeVisible();
  await expect(figures.getByRole('link', { name: /^[1-9]\d* new people/ })).toHaveAttribute(
    'href',
    '/admin/people',
  );
  await expect(page.getByRole('region', { name: 'Newest people' }).locator('li :is(svg, img)')).toHaveCount(
    6,
  );
  await expect(row.getByRole('link', { name: 'View event' })).toHaveAttribute('href', `/e/${id}`);
  await expect(row.locator('summary', { hasText: 'Hide event' })).toBeVisible();
  await row.getByRole('link', { name: title }).click();
  await expect(page).toHaveURL(/\/admin\/reports\/./);
});

for (const javaScriptEnabled of [true, false])
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test('admin: an event is hidden with a reason, which its organizer reads on its page, until it is shown again', async ({
      page,
      context,
      createPerson,
      signIn,
    }) => {
      const [admin, organizer, witness] = [await newAdmin(), await createPerson(), await createPerson()];
      const { id } = await newEvent(organizer, { title: 'Dubious party' });
      const { data } = await report({
        client: witness.client,
        body: { subject: { type: 'event', id }, reason: 'spam' },
      });
      await signIn(context, admin);
      await page.goto(`/admin/reports/${data.id}`);
      await page.locator('summary', { hasText: 'Hide event' }).click();
      await page.getByRole('textbox', { name: 'Reason' }).fill('Nobody lives there');
      await page.getByRole('button', { name: 'Hide event' }).click();
      await expect(page.getByRole('status').first()).toContainText('The event is hidden.');
      await expect(page.getByText('Resolved', { exact: true }).first()).toBeVisible();
      await signIn(context, witness);
      expect((await page.goto(`/e/${id}`))?.status()).toBe(404);
      await signIn(context, organizer);
      await page.goto(`/e/${id}`);
      await expect(page.getByRole('alert').first()).toContainText('Nobody lives there');
      await signIn(context, admin);
      await page.goto(`/admin/reports/${data.id}`);
      await page.getByRole('button', { name: 'Show event again' }).click();
      await expect(page.getByRole('status').first()).toContainText('visible again');
      await signIn(context, witness);
      expect((await page.goto(`/e/${id}`))?.status()).toBe(200);
    });

    test('admin: the reports of a person are one row, dismissed together after a question, and reopened by "Undo"', async ({
      page,
      context,
      createPerson,
      signIn,
    }) => {
      const [admin, offender, witness, other] = [
        await newAdmin(),
        await createPerson(`Rolf ${crypto.randomUUID().slice(0, 8)}`),
        await createPerson(),
        await createPerson(),
      ];
      const subject = { type: 'user', id: offender.id } as const;
      for (const { client } of [witness, other]) await report({ client, body: { subject, reason: 'spam' } });
      const { id } = await newEvent(offender);
      await report({ client: witness.client, body: { subject: { type: 'event', id }, reason: 'scam' } });
      await signIn(context, admin);
      await page.goto('/admin/reports');
      const rows = page.getByRole('listitem').filter({ hasText: offender.name });
      const row = rows.filter({ hasText: 'See the profile' });
      await expect(row).toHaveCount(1);
      await expect(row).toContainText(/Reported 2 times · 1 other report about Rolf/);
      await expect(rows.filter({ hasText: 'View event' })).toContainText(
        'Reported once · 2 other reports about Rolf',
      );
      for (const { name } of [witness, other]) await expect(row).toContainText(`Reported by ${name}`);
      await expect(row.locator('summary', { hasText: /^Suspend Rolf$/ })).toBeVisible();
      await row.locator('summary', { hasText: 'Dismiss' }).click();
      await expect(row).toContainText(`Nothing happens to ${offender.name}`);
      await row.getByRole('button', { name: 'Dismiss' }).click();
      await expect(page.getByRole('status')).toContainText('2 reports are resolved.');
      if (javaScriptEnabled) await expect(row).toHaveCount(0);
      await page.getByRole('button', { name: 'Undo' }).click();
      await expect(page.getByRole('status')).toContainText('2 reports are open again.');
      await page.goto('/admin/reports');
      await expect(row).toContainText('Reported 2 times');
    });
  });

test('admin: the audit trail says who did what, in words', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const name = `Kim ${crypto.randomUUID().slice(0, 8)}`;
  const [admin, person] = [await newAdmin(), await createPerson(name)];
  await signIn(context, admin);
  await page.goto(`/admin/people?q=${encodeURIComponent(name)}`);
  await page.locator('summary', { hasText: `Suspend ${name}` }).click();
  await page.getByLabel('Reason').fill('Spam');
  await page.getByRole('button', { name: `Suspend ${name}` }).click();
  await expect(page.getByRole('status')).toContainText('suspended');
  await page.goto(`/admin/audit?userId=${person.id}`);
  const entry = page.getByRole('listitem').filter({ hasText: `Suspended ${name}` });
  await expect(entry).toContainText('Spam');
  await expect(entry.getByRole('link', { name: admin.name })).toBeVisible();
  await page.getByLabel('Action').selectOption({ label: 'Restorations' });
  await page.getByRole('button', { name: 'Filter' }).click();
  await expect(page.getByText('No entry matches.')).toBeVisible();
});

for (const javaScriptEnabled of [true, false])
  test.describe(`mails ${javaScriptEnabled ? 'with' : 'without'} scripts`, () => {
    test.use({ javaScriptEnabled });
    test('admin: a test mail is sent, and the list says what became of it', async ({
      page,
      context,
      signIn,
    }) => {
      const address = `noor-${crypto.randomUUID().slice(0, 8)}@example.net`;
      await signIn(context, await newAdmin());
      await page.goto('/admin/mails');
      await page.getByLabel('Send a test mail to').fill(address);
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await expect(page.getByRole('status')).toContainText('on its way');
      const row = page.getByRole('listitem').filter({ hasText: address });
      await expect(async () => {
        await page.goto('/admin/mails');
        await expect(row).toContainText('Sent', { timeout: 500 });
      }).toPass();
      await expect(row).toContainText('written to the log');
      await page.getByLabel('State').selectOption({ label: 'Failed' });
      await page.getByRole('button', { name: 'Filter' }).click();
      await expect(row).toHaveCount(0);
    });
  });

for (const javaScriptEnabled of [true, false])
  test.describe(`mail preview ${javaScriptEnabled ? 'with' : 'without'} scripts`, () => {
    test.use({ javaScriptEnabled });
    test('admin: each kind of mail is shown in each language, in frames that run and load nothing', async ({
      page,
      context,
      signIn,
    }) => {
      await signIn(context, await newAdmin());
      await page.goto('/admin/mails');
      await page.getByRole('link', { name: 'See what mails look like' }).click();
      await page.getByRole('combobox', { name: 'Language' }).selectOption('ar');
      await page.getByRole('combobox', { name: 'Mail' }).selectOption({ label: 'Cancellations' });
      await page.getByRole('button', { name: 'Show', exact: true }).click();
      await expect(page).toHaveURL('/admin/mails/preview?language=ar&kind=eventCancelled');
      await expect(page.locator('dd').first()).toContainText('Noor al-Hamad عبر Potluck');
      await expect(page.frameLocator('.phone iframe').getByRole('heading')).toContainText('أُلغيت');
      await expect(page.locator('pre')).toBeHidden();
      await page.locator('summary', { hasText: 'the text part' }).click();
      await expect(page.locator('pre')).toContainText('Kajen 3, Mölle');
    });
  });

test('admin: the preview of mails, and a mail itself, have no violation of WCAG', async ({
  page,
  context,
  signIn,
}) => {
  test.setTimeout(60_000);
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
  await signIn(context, await newAdmin());
  await page.goto('/admin/mails/preview');
  // Tools cannot run in the frames.
  const preview = await new AxeBuilder({ page }).withTags(tags).exclude('iframe').analyze();
  expect(preview.violations).toEqual([]);
  const html = await (await page.request.get('/admin/mails/preview/html?kind=reminder')).text();
  await page.goto('about:blank');
  await page.setContent(html);
  expect((await new AxeBuilder({ page }).withTags(tags).analyze()).violations).toEqual([]);
});

test('admin: the HTML of a mail is for frames of this server alone', async ({ page, context, signIn }) => {
  const path = '/admin/mails/preview/html?kind=message&language=en';
  await signIn(context, await newAdmin());
  const response = await page.goto(path);
  const { 'content-security-policy': policy, 'x-frame-options': frames } = response?.headers() ?? {};
  expect(policy).toBe(
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox",
  );
  expect(frames).toBeUndefined();
  const other = await page.goto('/admin/mails');
  expect(other?.headers()['x-frame-options']).toBe('DENY');
});

test('admin: a lost response is explained, and what was entered is kept', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [admin, person] = [await newAdmin(), await createPerson(`Lena ${crypto.randomUUID().slice(0, 8)}`)];
  await signIn(context, admin);
  await page.goto(`/admin/people?q=${encodeURIComponent(person.name)}`);
  await page.waitForLoadState('networkidle');
  await page.route(/\?\/suspend/, (route) => route.abort());
  await page.locator('summary', { hasText: `Suspend ${person.name}` }).click();
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
  for (const path of [
    '/admin',
    '/admin/reports',
    '/admin/people',
    '/admin/switches',
    '/admin/mails',
    '/admin/mails/preview',
    '/admin/mails/preview/html?kind=message',
    '/admin/audit',
  ]) {
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
  for (const path of [
    '/admin',
    '/admin/reports',
    '/admin/people',
    '/admin/switches',
    '/admin/mails',
    '/admin/mails/preview',
    '/admin/settings',
    '/admin/audit',
  ]) {
    await page.goto(path);
    expect(await overflowOf(page), path).toBe(0);
  }
});
