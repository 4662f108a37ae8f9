/** A calendar is followed: what changes in it waits for a review, until the person follows it no longer. */
import http from 'node:http';
import AxeBuilder from '@axe-core/playwright';
import { listMyEvents } from '@potluck/client';
import { calendarOrigin, calendarPort } from './environment.ts';
import { expect, overflowOf, test } from './fixtures.ts';

const calendarOf = (...entries: [uid: string, title: string, day: string][]) =>
  [
    'BEGIN:VCALENDAR',
    ...entries.flatMap(([uid, title, day]) => [
      'BEGIN:VEVENT',
      ...[`UID:${uid}`, `SUMMARY:${title}`, `DTSTART:${day}T170000Z`, `DTEND:${day}T190000Z`],
      ...['LOCATION:Oslo\\, Norway', 'END:VEVENT'],
    ]),
    'END:VCALENDAR',
    '',
  ].join('\r\n');

// One port serves the calendars of both tests.
test.describe.configure({ mode: 'default' });
const files = new Map<string, string>();
const host = http.createServer(({ url = '' }, response) => {
  const file = files.get(url);
  if (file === undefined) response.writeHead(404).end();
  else response.setHeader('content-type', 'text/calendar').end(file);
});
test.beforeAll(() => new Promise<void>((resolve) => host.listen(calendarPort, '127.0.0.1', resolve)));
test.afterAll(() => {
  host.closeAllConnections();
  host.close();
});

for (const javaScriptEnabled of [true, false])
  test.describe(javaScriptEnabled ? 'followed calendar' : 'followed calendar without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('what changes in it waits for a review, and its events stay when it is followed no longer', async ({
      page,
      createPerson,
      signIn,
    }) => {
      test.setTimeout(90_000);
      // Events of the other test would be duplicates.
      const year = javaScriptEnabled ? '2033' : '2034';
      const path = `/private-${year}/village-calendar.ics`;
      files.set(path, calendarOf(['1', 'Harvest', `${year}0318`], ['2', 'Sewing', `${year}0320`]));
      const organizer = await createPerson();
      await signIn(page.context(), organizer);
      /** At both widths nothing is cut off, and axe finds no fault. */
      const inspect = async () => {
        for (const width of [360, 1280]) {
          await page.setViewportSize({ width, height: 800 });
          expect(await overflowOf(page)).toBe(0);
        }
        if (javaScriptEnabled) expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
      };
      /** Waits for what a server does in the background. */
      const eventually = (check: () => Promise<void>) =>
        expect(async () => {
          if (!javaScriptEnabled) await page.goto(page.url().replace(/\?.*/, ''));
          await check();
        }).toPass();

      await page.goto('/import');
      await expect(page.getByRole('heading', { name: 'Calendars you follow' })).toHaveCount(0);
      const automatically = page.getByLabel('Publish changes without asking me');
      await expect(automatically).toBeHidden();
      await page.getByLabel('Follow this calendar').check();
      await automatically.check();
      await expect(page.getByRole('button', { name: 'Follow and publish' })).toBeVisible();
      await automatically.uncheck();
      await page.getByRole('button', { name: 'Look at it first' }).click();
      const address = page.getByLabel('Or its address');
      await expect(address).toHaveAccessibleDescription(/To follow a calendar, enter its address/);
      await expect(page.getByLabel('Follow this calendar')).toBeChecked();
      await inspect();
      await address.fill(calendarOrigin + path);
      await page.getByRole('button', { name: 'Look at it first' }).click();
      await expect(page).toHaveURL(/\/import\/[0-9a-f-]{36}/);
      const rows = page.getByRole('main').getByRole('listitem');
      await eventually(() => expect(rows).toHaveCount(2, { timeout: 1_000 }));
      await page.getByRole('button', { name: 'Publish 2 events' }).click();
      await eventually(() =>
        expect(page.getByRole('heading', { level: 1, name: 'The calendar is imported' })).toBeVisible({
          timeout: 1_000,
        }),
      );

      await page.goto('/import');
      await expect(rows).toHaveCount(1);
      await expect(rows).toContainText(`127.0.0.1:${calendarPort}`);
      await expect(rows).toContainText(path);
      await expect(rows).toContainText(/Last read:.+ · 2 events/);
      await expect(rows).toContainText('Changes wait for your review.');
      files.set(path, calendarOf(['1', 'Harvest and soup', `${year}0318`], ['2', 'Sewing', `${year}0320`]));
      await page.getByRole('button', { name: 'Check now' }).click();
      if (!javaScriptEnabled) await expect(rows).toContainText('We are checking the calendar');
      await eventually(() =>
        expect(rows.getByRole('link', { name: 'Review what is new' })).toBeVisible({ timeout: 1_000 }),
      );
      await page.getByRole('button', { name: 'Check now' }).click();
      await expect(rows.getByRole('alert')).toHaveText(
        'A calendar can be checked once a minute. Please wait a moment.',
      );
      await inspect();
      await rows.getByRole('link', { name: 'Review what is new' }).click();
      await expect(rows.filter({ hasText: 'Harvest and soup' })).toHaveCount(1);
      await expect(page.getByRole('button', { name: 'Publish 1 event' })).toBeVisible();

      await page.goto('/import');
      await page.getByRole('button', { name: 'Publish without asking' }).click();
      await expect(rows).toContainText('Changes are published without asking.');
      await expect(page.getByRole('button', { name: 'Ask me first' })).toBeVisible();
      files.delete(path);
      await expect(async () => {
        await page.goto('/import');
        await expect(rows).toContainText('Nothing answers at this address.', { timeout: 1_000 });
      }).toPass();
      await rows.getByText('Stop following').first().click();
      await expect(rows).toContainText('Its events stay');
      await inspect();
      await rows.getByRole('button', { name: 'Stop following' }).click();
      await expect(page.getByRole('status')).toHaveText(
        'You no longer follow this calendar. Its events stay.',
      );
      await expect(rows).toHaveCount(0);
      const { data } = await listMyEvents({ client: organizer.client, query: { relation: 'organizing' } });
      expect(data.data.map(({ title }) => title.split(' ')[0]).sort()).toEqual(['Harvest', 'Sewing']);
    });
  });
