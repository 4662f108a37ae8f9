/** The form of an event: its steps, its draft and its address. */
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { getEvent } from '@potluck/client';
import { signInHere } from './event-steps.ts';
import { expect, newEvent, type Person, test } from './fixtures.ts';
import { choosePlace, openStep, whereOf } from './form-steps.ts';

const idOf = (page: Page): string => new URL(page.url()).pathname.split('/')[2] ?? '';
const isEvent = /\/e\/[0-9a-f-]{36}(\?[\w=&]+)?$/;
const stored = async ({ client }: Person, id: string) => (await getEvent({ client, path: { id } })).data;

test('steps: "Publish" leads to the step and the field that lacks something, and the others are kept', async ({
  page,
  createPerson,
  signIn,
}) => {
  await signIn(page.context(), await createPerson());
  await page.goto('/new?template=potluck');
  await page.getByLabel('Title').fill('Harbour potluck');
  await page.getByLabel('Starts on').fill('2027-06-05');
  await openStep(page, 'Guests');
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(page.getByRole('radio', { name: 'Where' })).toBeChecked();
  const where = whereOf(page);
  await expect(where).toBeFocused();
  await expect(where).toHaveAccessibleDescription(/Please fill this in/);
  await expect(page.getByRole('radio', { name: 'Where (needs your attention)' })).toBeVisible();
  await where.fill('Kastanjegatan 14');
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(where).toHaveAccessibleDescription(/Which town is that in\?/);
  await openStep(page, 'What and when');
  await expect(page.getByLabel('Title')).toHaveValue('Harbour potluck');
});

test('steps: the tab of a step with an error has enough contrast, chosen or not, light and dark', async ({
  page,
  createPerson,
  signIn,
}) => {
  await signIn(page.context(), await createPerson());
  await page.goto('/new?template=potluck');
  await page.getByLabel('Title').fill('Harbour potluck');
  await page.getByLabel('Starts on').fill('2027-06-05');
  await openStep(page, 'Guests');
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(page.getByRole('radio', { name: 'Where (needs your attention)' })).toBeChecked();
  const contrast = new AxeBuilder({ page }).include('.steps').withRules(['color-contrast']);
  for (const step of ['Where', 'Guests'] as const) {
    await openStep(page, step);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect.soft((await contrast.analyze()).violations, `${step}, ${colorScheme}`).toEqual([]);
    }
  }
});

test('steps: the end follows the start, and the preview of a wide window shows what is typed', async ({
  page,
  createPerson,
  signIn,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await signIn(page.context(), await createPerson());
  await page.goto('/new?template=potluck');
  const days = page.getByRole('group', { name: 'One of the next days' }).getByRole('button');
  await days.first().click();
  await expect(page.getByLabel('Starts on')).not.toHaveValue('');
  await page.getByLabel('Title').fill('Harbour potluck');
  await page.getByLabel('Starts on').fill('2027-06-05');
  await page.getByText('Ends on another day').click();
  await page.getByLabel('Ends on', { exact: true }).fill('2027-06-06');
  await page.getByLabel('Starts at').fill('19:30');
  await expect(page.getByLabel('Ends at')).toHaveValue('23:30');
  await page.getByLabel('Starts on').fill('2027-07-03');
  await expect(page.getByLabel('Ends on')).toHaveValue('2027-07-04');
  // The field is in the language of the browser; the day that it has is shown in that of the page.
  await expect(page.getByRole('button', { name: 'Sat 3 Jul 2027', pressed: true })).toBeVisible();
  // The days around it have taken the place of the next days, to which a button leads back.
  await expect(days.first()).toHaveAccessibleName('Fri 2 Jul 2027');
  await page.getByRole('button', { name: 'Coming days' }).click();
  await expect(page.getByRole('button', { name: 'Coming days' })).toBeHidden();
  await expect(days).toHaveCount(14);
  await expect(days.first()).toBeFocused();
  const preview = page.getByRole('complementary', { name: 'Preview' });
  await expect(preview).toContainText('Harbour potluck');
  await expect(preview).toContainText(/3 Jul 2027.*19:30/);
});

test('times: are typed as people write them, or chosen from the half hours; another text is explained at its field', async ({
  page,
  createPerson,
  signIn,
}) => {
  await signIn(page.context(), await createPerson());
  await page.goto('/new?template=potluck');
  const [start, end] = [page.getByLabel('Starts at'), page.getByLabel('Ends at')];
  await expect(start).toHaveValue('18:00');
  // The first press opens the times once the scripts run.
  await expect(async () => {
    await start.click();
    await expect(page.getByRole('listbox')).toBeVisible({ timeout: 500 });
  }).toPass();
  await start.pressSequentially('7.15 pm');
  await start.press('Tab');
  await expect(start).toHaveValue('19:15');
  await expect(end).toHaveValue('23:15');
  await start.fill('late');
  await start.press('Tab');
  await expect(start).toHaveAccessibleDescription('Please write a time such as 18:30.');
  await start.fill('19:30');
  await expect(start).toHaveAccessibleDescription('');
  await start.click();
  await expect(page.getByRole('option', { name: '19:30', selected: true })).toBeInViewport();
  await start.press('ArrowDown');
  await start.press('Enter');
  await expect(start).toHaveValue('20:00');
  await expect(end).toHaveValue('00:00');
  await expect(page.getByRole('listbox')).toBeHidden();
  await end.click();
  // The options follow the start, and say how long the event is with them.
  await expect(page.getByRole('option').first()).toHaveText('20:30 0.5 hrs');
  await page.getByRole('option', { name: '22:30' }).click();
  await expect(end).toHaveValue('22:30');
  await page.getByLabel('Starts on').fill('2027-06-05');
  await expect(page.getByText('Sat, 5 Jun 2027, 20:00–22:30 · 2 hours, 30 minutes')).toBeVisible();
});

test.describe('for a visitor who counts twelve hours', () => {
  test.use({ locale: 'en-US' });

  test('times: are shown and typed with am and pm, and stored as they are meant', async ({
    page,
    createPerson,
    signIn,
  }) => {
    const me = await createPerson();
    const event = await newEvent(me, { startAt: '2027-06-05T16:00:00Z', endAt: '2027-06-05T20:00:00Z' });
    await signIn(page.context(), me);
    await page.goto(`/e/${event.id}/edit`);
    const [start, end] = [page.getByLabel('Starts at'), page.getByLabel('Ends at')];
    await expect(start).toHaveValue('6:00 pm');
    await expect(end).toHaveValue('10:00 pm');
    await start.fill('7');
    await start.press('Tab');
    await expect(start).toHaveValue('7:00 am');
    await expect(end).toHaveValue('11:00 am');
    await end.click();
    await page.getByRole('option', { name: /^1:30 pm/ }).click();
    await expect(end).toHaveValue('1:30 pm');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page).toHaveURL(isEvent);
    const { data } = await getEvent({ client: me.client, path: { id: event.id } });
    expect([data.startAt, data.endAt]).toEqual(['2027-06-05T05:00:00.000Z', '2027-06-05T11:30:00.000Z']);
  });
});

test('address: a street with its town is understood, stored in one line, and not changed by another save', async ({
  page,
  createPerson,
  signIn,
}) => {
  const person = await createPerson();
  await signIn(page.context(), person);
  await page.goto('/new?template=potluck');
  await page.getByLabel('Title').fill('Chestnuts');
  await page.getByLabel('Starts on').fill('2027-06-05');
  await openStep(page, 'Where');
  await expect(page.getByText('Type where it is')).toBeVisible();
  await choosePlace(page, 'Tokyo', 'Tokyo, Japan');
  await expect(page.getByText('Local time at the place (Asia/Tokyo).')).toBeVisible();
  const address = 'Kastanjegatan 14, 431 38 Mölndal';
  await choosePlace(page, 'Kastanjegatan 14, 431 38 Mölnd', address);
  await expect(page.getByText('About here.')).toBeVisible();
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(page).toHaveURL(isEvent);
  const before = await stored(person, idOf(page));
  expect(before.location).toMatchObject({ address, isExact: false });
  await page.goto(`/e/${before.id}/edit`);
  await openStep(page, 'Where');
  await expect(whereOf(page)).toHaveValue(address);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(isEvent);
  const { updatedAt: _, ...after } = await stored(person, before.id);
  expect(before).toMatchObject(after);
});

test('address: a street without a town is offered in the town of the event, and stays there', async ({
  page,
  createPerson,
  signIn,
}) => {
  const person = await createPerson();
  await signIn(page.context(), person);
  const mölndal = { address: 'Mölndal, Sweden', lat: 57.6554, lng: 12.01378, isExact: true };
  const { id } = await newEvent(person, { location: mölndal, timezone: 'Europe/Stockholm' });
  await page.goto(`/e/${id}/edit`);
  await openStep(page, 'Where');
  await choosePlace(page, 'Kastanjegatan 14', 'Kastanjegatan 14, Mölndal');
  await whereOf(page).fill('Kastanjegatan 15');
  await whereOf(page).press('Escape');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(isEvent);
  expect((await stored(person, id)).location).toMatchObject({
    address: 'Kastanjegatan 15, Mölndal',
    isExact: true,
  });
});

test('address: an event whose address names no town keeps it', async ({ page, createPerson, signIn }) => {
  const person = await createPerson();
  await signIn(page.context(), person);
  const location = { address: 'Kastanjegatan 14', lat: 57.6554, lng: 12.0138, isExact: true };
  const { id } = await newEvent(person, { location });
  await page.goto(`/e/${id}/edit`);
  await openStep(page, 'Where');
  await expect(whereOf(page)).toHaveValue('Kastanjegatan 14');
  await expect(page.getByText('About here. This map has no streets')).toBeVisible();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(isEvent);
  expect((await stored(person, id)).location).toEqual(location);
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('address: coordinates are entered and checked, and the steps are one page', async ({
    page,
    createPerson,
    signIn,
  }) => {
    const person = await createPerson();
    await signIn(page.context(), person);
    await page.goto('/new?template=potluck');
    await page.getByLabel('Title').fill('Chestnuts');
    await page.getByLabel('Starts on').fill('2027-06-05');
    await page.getByLabel('Where is it?').fill('Götgatan 5, Mölndal');
    await page.getByText('Enter coordinates').click();
    await page.getByLabel('Latitude').fill('59,33');
    await page.getByLabel('Longitude').fill('18.07');
    await page.getByLabel('Starts at').fill('late');
    await page.getByRole('button', { name: 'Publish' }).click();
    await expect(page.getByLabel('Starts at')).toHaveAccessibleDescription(/a time such as 18:30/);
    await page.getByLabel('Starts at').fill('1930');
    await expect(page.getByLabel('Latitude')).toHaveAccessibleDescription(/more than 100 km from Mölndal/);
    await page.getByLabel('Latitude').fill('57.6561');
    await page.getByLabel('Longitude').fill('12.0201');
    await page.getByRole('button', { name: 'Publish' }).click();
    await expect(page).toHaveURL(isEvent);
    const event = await stored(person, idOf(page));
    expect(event.startAt).toBe('2027-06-05T17:30:00.000Z');
    expect(event.location).toEqual({
      address: 'Götgatan 5, Mölndal',
      lat: 57.6561,
      lng: 12.0201,
      isExact: true,
    });
  });
});

test('draft: what was typed is there again after another page, until it is started over or published', async ({
  page,
  createPerson,
  signIn,
}) => {
  const person = await createPerson();
  await signIn(page.context(), person);
  await page.goto('/new?template=potluck');
  await page.getByLabel('Title').fill('Harbour potluck');
  await page.getByLabel('Starts on').fill('2027-06-05');
  await openStep(page, 'Guests');
  await page.getByLabel('More: Item 1', { exact: true }).click();
  await page.getByRole('button', { name: 'Remove item 1', exact: true }).click();
  await page.getByLabel('Item 1', { exact: true }).fill('Lemonade');
  // Another page, after a question, which may be answered with no.
  const questions: string[] = [];
  page.on('dialog', (dialog) => {
    questions.push(dialog.message());
    void (questions.length === 1 ? dialog.dismiss() : dialog.accept());
  });
  await page.locator('.brand').click();
  await expect(() => expect(questions).toHaveLength(1)).toPass();
  await expect(page).toHaveURL('/new?template=potluck');
  await page.locator('.brand').click();
  await expect(page).toHaveURL('/');
  expect(questions[1]).toContain('not saved yet. We keep them');
  // A page that scripts make restores the draft, too.
  await page.goBack();
  await expect(page.getByText('We kept what you typed.')).toBeVisible();
  await expect(page.getByLabel('Title')).toHaveValue('Harbour potluck');
  await expect(page.getByLabel('Item 1', { exact: true })).toHaveValue('Lemonade');
  await page.getByRole('button', { name: 'Start over' }).click();
  await expect(page.getByLabel('Title')).toHaveValue('');
  await expect(page.getByText('We kept what you typed.')).toBeHidden();
  await openStep(page, 'What and when');
  await page.getByLabel('Title').fill('Picnic');
  await page.getByLabel('Starts on').fill('2027-06-05');
  await openStep(page, 'Where');
  await choosePlace(page, 'Osl', 'Oslo, Norway');
  await page.reload();
  await expect(page.getByLabel('Title')).toHaveValue('Picnic');
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(page).toHaveURL(isEvent);
  await page.goto('/new?template=potluck');
  await page.waitForLoadState('networkidle');
  await expect(page.getByLabel('Title')).toHaveValue('');
});

test('draft: the form of an event survives the end of the session and the sign-in, at the step where it was', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const person = await createPerson();
  await signIn(context, person);
  await page.goto('/new?template=potluck', { waitUntil: 'networkidle' });
  await page.getByLabel('Title').fill('Harbour potluck');
  await page.getByLabel('Starts on').fill('2027-06-05');
  await openStep(page, 'Guests');
  await page.getByLabel('Item 1', { exact: true }).fill('Lemonade');
  await context.clearCookies();
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'sign in' })).toBeVisible();
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  await signInHere(page, person.phone);
  await expect(page).toHaveURL('/new?template=potluck');
  await expect(page.getByText('We kept what you typed.')).toBeVisible();
  await expect(page.getByLabel('Item 1', { exact: true })).toHaveValue('Lemonade');
  await openStep(page, 'What and when');
  await expect(page.getByLabel('Title')).toHaveValue('Harbour potluck');
  await page.reload();
  await expect(page.getByLabel('Title')).toHaveValue('Harbour potluck');
  // The address of another template has a draft of its own.
  await page.goto('/new?template=picnic');
  await expect(page.getByLabel('Title')).toHaveValue('');
});

for (const javaScriptEnabled of [true, false])
  test.describe(`${javaScriptEnabled ? 'with' : 'without'} scripts`, () => {
    test.use({ javaScriptEnabled });

    test('templates: another one replaces what was not changed, and the one before can be taken back', async ({
      page,
      createPerson,
      signIn,
    }) => {
      await signIn(page.context(), await createPerson());
      await page.goto('/new');
      if (javaScriptEnabled) await page.waitForLoadState('networkidle');
      const choose = async (name: string) => {
        await page.getByRole('button', { name, exact: true }).click();
        await expect(page.getByRole('button', { name, exact: true, pressed: true })).toBeVisible();
      };
      const items = () =>
        page
          .locator('[name=itemTitle]')
          .evaluateAll((all) => all.map((input) => (input as HTMLInputElement).value));
      const cover = () => page.locator('[name=coverTheme]:checked').inputValue();
      await page.getByLabel('Title').fill('Harbour supper');
      const [firstItems, firstCover] = [await items(), await cover()];
      await choose('Birthday');
      await expect(page.getByLabel('Title')).toHaveValue('Harbour supper');
      await expect(page.getByLabel('Category')).toHaveValue('party');
      await expect(page.locator('[name=visibility]:checked')).toHaveValue('unlisted');
      expect(await items()).toContain('Birthday cake');
      await page.getByLabel('Category').selectOption('music');
      await choose('General');
      // The category is the organizer's now.
      await expect(page.getByLabel('Category')).toHaveValue('music');
      await expect(page.locator('[name=visibility]:checked')).toHaveValue('public');
      await expect(page.getByLabel('Title')).toHaveValue('Harbour supper');
      expect(await items()).toEqual(firstItems);
      expect(await cover()).toBe(firstCover);
    });
  });

test('draft: texts of a message and a profile are kept, and a sign-out removes all drafts', async ({
  page,
  createPerson,
  signIn,
}) => {
  const [person, other] = [await createPerson(), await createPerson()];
  await signIn(page.context(), person);
  // A draft is kept once the scripts of the page have started.
  const open = (path: string) => page.goto(path, { waitUntil: 'networkidle' });
  await open(`/messages/${other.id}`);
  await page.getByLabel('Your message').fill('Shall I bring chairs?');
  await open('/settings/profile');
  await page.getByLabel('About you').fill('Baker');
  await page.goto(`/messages/${other.id}`);
  await expect(page.getByText('We kept what you typed.')).toBeVisible();
  await expect(page.getByLabel('Your message')).toHaveValue('Shall I bring chairs?');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByRole('log')).toContainText('Shall I bring chairs?');
  await expect(page.getByLabel('Your message')).toHaveValue('');
  await page.goto('/settings/profile');
  await expect(page.getByLabel('About you')).toHaveValue('Baker');
  await page.goto('/settings/account');
  await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL('/');
  // The scripts of the next page remove them.
  const drafts = () => page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('draft')));
  await expect.poll(drafts).toEqual([]);
});

test('draft: a page with a chosen picture that is still on its way asks before it is left', async ({
  page,
  createPerson,
  signIn,
}) => {
  await signIn(page.context(), await createPerson());
  await page.goto('/new?template=potluck');
  await page.waitForLoadState('networkidle');
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/v1/uploads', async (route) => {
    await isReleased;
    await route.abort();
  });
  const buffer = Buffer.alloc(1_000, 1);
  await page
    .getByLabel('Cover image', { exact: true })
    .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer });
  const asked = page.waitForEvent('dialog').then(async (dialog) => {
    await dialog.dismiss();
    return dialog.message();
  });
  await page.locator('.brand').click();
  expect(await asked).toContain('Leave this page?');
  await expect(page).toHaveURL('/new?template=potluck');
  release();
});
