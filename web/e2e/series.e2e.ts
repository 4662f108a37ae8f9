/** An event that repeats: made, changed for all dates, and cancelled for one. */
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { getEvent, repeatEvent } from '@potluck/client';
import { expect, goTo, newEvent, overflowOf, test } from './fixtures.ts';

const rowsOf = (page: Page) => page.locator('main article.event');

test('series: an event repeats every week; a change and a cancellation concern the chosen dates', async ({
  page,
  createPerson,
  signIn,
}) => {
  const organizer = await createPerson();
  const event = await newEvent(organizer, { title: 'Choir' });
  await signIn(page.context(), organizer);
  await page.goto(`/e/${event.id}`);
  const nav = page.getByRole('navigation', { name: 'Manage this event' });
  await nav.getByRole('button').click();
  await nav.getByRole('link', { name: 'Repeat' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Repeat event' })).toBeVisible();
  await expect(page.getByLabel(/^Every week, on /)).toBeChecked();
  expect(await overflowOf(page)).toBe(0);
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  await page.getByLabel('Another rule').check();
  await page.getByLabel('Rule (RRULE)').fill('FREQ=HOURLY');
  await page.getByRole('button', { name: 'Repeat' }).click();
  await expect(page.getByLabel('Rule (RRULE)')).toHaveAccessibleDescription(/FREQ/);
  await page.getByLabel('Rule (RRULE)').fill('FREQ=WEEKLY;COUNT=3');
  await page.getByRole('button', { name: 'Repeat' }).click();
  await expect(page).toHaveURL(/\/series\/[0-9a-f-]{36}$/);
  await expect(page.getByRole('heading', { level: 1, name: 'Choir' })).toBeVisible();
  await expect(rowsOf(page)).toHaveCount(3);
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  const series = page.url();

  await page.goto(`/e/${event.id}/cancel`);
  await page.getByLabel('Only this one').check();
  await page.getByRole('button', { name: 'Cancel event' }).click();
  await page.getByRole('link', { name: 'All dates' }).click();
  await expect(page).toHaveURL(series);
  const { data } = await getEvent({ client: organizer.client, path: { id: event.id } });
  expect(data).toMatchObject({ status: 'cancelled', series: { isChanged: true } });

  await rowsOf(page).last().getByRole('link').first().click();
  await expect(page).toHaveURL(/\/e\/[0-9a-f-]{36}$/);
  await page.goto(`${page.url()}/delete`);
  await page.getByLabel('This and all later ones').check();
  await page.getByRole('button', { name: 'Delete event' }).click();
  await expect(page).toHaveURL('/mine');
  await page.goto(series);
  await expect(rowsOf(page)).toHaveCount(2);
});

test('series: without scripts, and for a guest who sees the dates', async ({
  browser,
  baseURL,
  createPerson,
  openBrowser,
  signIn,
}) => {
  const organizer = await createPerson();
  const event = await newEvent(organizer, { title: 'Choir' });
  const context = await browser.newContext({ javaScriptEnabled: false, ...(baseURL && { baseURL }) });
  await signIn(context, organizer);
  const own = await context.newPage();
  await own.goto(`/e/${event.id}/repeat`);
  await own.getByLabel(/^Every two weeks, on /).check();
  await own.getByRole('button', { name: 'Repeat' }).click();
  await expect(own).toHaveURL(/\/series\//);
  await own.goto(`/e/${event.id}/edit`);
  await expect(own.getByRole('group', { name: 'Which dates?' })).toBeAttached();
  const guest = await createPerson();
  await goTo(guest, event.id);
  const theirs = await openBrowser(guest);
  await theirs.goto(`/e/${event.id}`);
  await theirs.getByRole('link', { name: 'All dates' }).click();
  await expect(rowsOf(theirs).first()).toBeVisible();
  await expect(theirs.getByText(/^Every 2 weeks/)).toBeVisible();
  await context.close();
});

test('series: a guest answers all dates on the page of one, and the organizer sees who comes when', async ({
  browser,
  baseURL,
  createPerson,
  openBrowser,
  signIn,
}) => {
  const organizer = await createPerson();
  const guest = await createPerson('Ana');
  const event = await newEvent(organizer, { title: 'Choir' });
  const body = { rrule: 'FREQ=WEEKLY;COUNT=3' };
  const { data } = await repeatEvent({ client: organizer.client, path: { id: event.id }, body });
  const theirs = await openBrowser(guest);
  await theirs.goto(`/e/${event.id}`);
  await theirs.getByRole('button', { name: 'Going to all dates' }).click();
  await expect(theirs).toHaveURL(`/e/${event.id}`);
  await expect(theirs.getByText("You're going to all dates")).toBeVisible();
  const read = async () => (await getEvent({ client: guest.client, path: { id: event.id } })).data.myRsvp;
  expect(await read()).toBe('going');

  const own = await openBrowser(organizer);
  await own.goto(`/series/${data.id}`);
  await own.getByRole('link', { name: 'Who comes when' }).click();
  const row = own.getByRole('row').filter({ has: own.getByRole('rowheader', { name: 'Ana' }) });
  await expect(row.getByText('Going')).toHaveCount(3);
  expect(await overflowOf(own)).toBe(0);
  expect((await new AxeBuilder({ page: own }).analyze()).violations).toEqual([]);

  const context = await browser.newContext({ javaScriptEnabled: false, ...(baseURL && { baseURL }) });
  await signIn(context, guest);
  const plain = await context.newPage();
  await plain.goto(`/series/${data.id}`);
  await plain.getByRole('button', { name: 'Not all any more' }).click();
  await expect(plain.getByRole('button', { name: 'Going to all dates' })).toBeVisible();
  expect(await read()).toBe(null);
  await context.close();
});

for (const javaScriptEnabled of [true, false])
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test('series: the organizer writes to the guests of all dates, who read it on each', async ({
      page,
      context,
      createPerson,
      signIn,
    }) => {
      const [organizer, guest] = [await createPerson(), await createPerson()];
      const event = await newEvent(organizer, { title: 'Choir' });
      const body = { rrule: 'FREQ=WEEKLY;COUNT=3' };
      const { data } = await repeatEvent({ client: organizer.client, path: { id: event.id }, body });
      await goTo(guest, event.id);
      await signIn(context, organizer);
      await page.goto(`/series/${data.id}`);
      await page.getByRole('link', { name: 'Write to your guests' }).click();
      await page.getByLabel('Your message').fill('We sing outside.');
      await page.getByRole('button', { name: 'Preview' }).click();
      await expect(page.getByRole('status').filter({ hasText: 'We sing' })).toContainText(
        '1 person gets it.',
      );
      await page.getByRole('button', { name: 'Send' }).click();
      await expect(page.getByText('Your message is on its way.')).toBeVisible();
      await expect(page.getByRole('listitem').filter({ hasText: 'We sing' })).toContainText('1 person');
      expect(await overflowOf(page)).toBe(0);
      if (javaScriptEnabled) expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);

      await signIn(context, guest);
      for (const path of [`/series/${data.id}`, `/e/${event.id}`]) {
        await page.goto(path);
        await expect(page.getByText('We sing outside.')).toBeVisible();
      }
      await expect(page.getByRole('link', { name: 'Write to your guests' })).toHaveCount(0);
    });
  });
