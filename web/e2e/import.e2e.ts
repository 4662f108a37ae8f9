/** A calendar comes in from a file, with a review before anything is an event. */
import AxeBuilder from '@axe-core/playwright';
import { listMyEvents } from '@potluck/client';
import { expect, overflowOf, test } from './fixtures.ts';

const entry = (uid: string, title: string, ...lines: string[]) =>
  ['BEGIN:VEVENT', `UID:${uid}`, `SUMMARY:${title}`, ...lines, 'END:VEVENT'].join('\r\n');
const calendar = [
  'BEGIN:VCALENDAR',
  entry('1', 'Choir', 'DTSTART:20310318T170000Z', 'DTEND:20310318T190000Z', 'LOCATION:Oslo\\, Norway'),
  entry('2', 'Rehearsal', 'DTSTART:20310320T170000Z', 'LOCATION:Oslo\\, Norway'),
  entry('3', 'Somewhere', 'DTSTART:20310322T170000Z'),
  entry('4', 'No date'),
  entry(
    '5',
    'Quiz',
    ...['DTSTART;TZID=Europe/Oslo:20310304T180000', 'DURATION:PT2H', 'RRULE:FREQ=WEEKLY;COUNT=3'],
    'LOCATION:Oslo\\, Norway',
  ),
  'END:VCALENDAR',
  '',
].join('\r\n');

for (const javaScriptEnabled of [true, false])
  test.describe(javaScriptEnabled ? 'import' : 'import without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('a file is read, an entry is left out, and the rest become events', async ({
      page,
      createPerson,
      signIn,
    }) => {
      // Events of the other test would be duplicates.
      const year = javaScriptEnabled ? '2031' : '2032';
      const organizer = await createPerson();
      await signIn(page.context(), organizer);
      await page.goto('/mine?tab=organizing');
      await page.getByRole('link', { name: 'Import a calendar' }).click();
      await page.getByRole('button', { name: 'Look at it first' }).click();
      await expect(page.getByLabel('File')).toHaveAccessibleDescription(/Choose a file/);
      expect(await overflowOf(page)).toBe(0);
      await page.getByLabel('File').setInputFiles({
        name: 'choir.ics',
        mimeType: 'text/calendar',
        buffer: Buffer.from(calendar.replaceAll('2031', year)),
      });
      await page.getByRole('button', { name: 'Look at it first' }).click();
      await expect(page).toHaveURL(/\/import\/[0-9a-f-]{36}/);
      const rows = page.getByRole('main').getByRole('listitem');
      await expect(async () => {
        if (!javaScriptEnabled) await page.reload();
        await expect(rows).toHaveCount(5, { timeout: 1_000 });
      }).toPass();
      await expect(rows.filter({ hasText: 'Somewhere' })).toContainText('To be checked');
      await expect(rows.filter({ hasText: 'Not possible' })).toHaveCount(1);
      await expect(rows.filter({ hasText: 'Quiz' })).toContainText(/Every (Tues|Thurs)day, 3 times/);
      await expect(rows.filter({ hasText: 'Quiz' })).toContainText(
        `Next: 4 Mar ${year}, 18:00 · 11 Mar ${year}`,
      );
      for (const width of [360, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await overflowOf(page)).toBe(0);
      }
      if (javaScriptEnabled) expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
      await page.getByRole('button', { name: 'Leave out: Rehearsal' }).click();
      await expect(rows.filter({ hasText: 'Rehearsal' })).toContainText('Left out');
      await page.getByRole('button', { name: 'Publish 2 events' }).click();
      await expect(async () => {
        if (!javaScriptEnabled) await page.reload();
        await expect(page.getByRole('heading', { level: 1, name: 'The calendar is imported' })).toBeVisible({
          timeout: 1_000,
        });
      }).toPass();
      const { data } = await listMyEvents({ client: organizer.client, query: { relation: 'organizing' } });
      expect([...new Set(data.data.map(({ title }) => title))].sort()).toEqual(['Choir', 'Quiz']);
    });
  });
