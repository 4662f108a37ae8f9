/** A table comes in from a file: its dates may need an answer before it can be read. */
import AxeBuilder from '@axe-core/playwright';
import { listMyEvents } from '@potluck/client';
import { expect, overflowOf, test } from './fixtures.ts';

/** Events of another year are no duplicates. */
const tableOf = (year: number) =>
  [
    'Event title;Start Date;Start Time;Location',
    `Choir;03/04/${year};18:00;Oslo, Norway`,
    `"Dinner; for all";05/04/${year};19:30;Oslo, Norway`,
    '',
  ].join('\r\n');

for (const [javaScriptEnabled, year] of [
  [true, 2031],
  [false, 2032],
] as const)
  test.describe(javaScriptEnabled ? 'table' : 'table without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('the order of the dates is asked once, and the rows become events', async ({
      page,
      createPerson,
      signIn,
    }) => {
      const organizer = await createPerson();
      await signIn(page.context(), organizer);
      await page.goto('/import');
      await expect(page.getByLabel('File')).toHaveAccessibleDescription(/table \(\.csv\)/);
      await page.getByLabel('File').setInputFiles({
        name: 'events.csv',
        mimeType: 'application/vnd.ms-excel',
        buffer: Buffer.from(tableOf(year)),
      });
      await page.getByRole('button', { name: 'Look at it first' }).click();
      await expect(page).toHaveURL(/\/import\/[0-9a-f-]{36}/);
      const question = page.getByRole('group', { name: 'What comes first in the column “Start Date”?' });
      await expect(async () => {
        if (!javaScriptEnabled) await page.reload();
        await expect(question).toBeVisible({ timeout: 1_000 });
      }).toPass();
      await expect(question).toHaveAccessibleDescription(
        `The table says 03/04/${year}, and no date in it shows which number is the day.`,
      );
      await expect(page.getByRole('button', { name: /Publish/ })).toHaveCount(0);
      for (const width of [360, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await overflowOf(page)).toBe(0);
      }
      if (javaScriptEnabled) expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
      await question.getByRole('radio', { name: `The day: 3 Apr ${year}` }).check();
      await page.getByRole('button', { name: 'Read the table' }).click();
      const rows = page.getByRole('main').getByRole('listitem');
      await expect(async () => {
        if (!javaScriptEnabled) await page.reload();
        await expect(rows).toHaveCount(2, { timeout: 1_000 });
      }).toPass();
      await expect(rows.filter({ hasText: 'Choir' })).toContainText('Apr');
      await page.getByRole('button', { name: 'Publish 2 events' }).click();
      await expect(async () => {
        if (!javaScriptEnabled) await page.reload();
        await expect(page.getByRole('heading', { name: 'The calendar is imported' })).toBeVisible({
          timeout: 1_000,
        });
      }).toPass();
      const { data } = await listMyEvents({ client: organizer.client, query: { relation: 'organizing' } });
      expect(data.data.map(({ title, startAt }) => [title, startAt])).toEqual([
        ['Choir', `${year}-04-03T16:00:00.000Z`],
        ['Dinner; for all', `${year}-04-05T17:30:00.000Z`],
      ]);
    });
  });
