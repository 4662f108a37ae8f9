/** WCAG 2.2 AA and best practices on the main pages, as axe finds violations; and the size of the first load. */
import AxeBuilder from '@axe-core/playwright';
import { expect, newEvent, overflowOf, test } from './fixtures.ts';
import { listPages } from './main-pages.ts';

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The selectors of elements with a violation, after the name of the rule. */
const violationsOf = async (axe: AxeBuilder): Promise<string[]> =>
  (await axe.analyze()).violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(' ')}`,
  );

for (const width of [360, 1280]) {
  test.describe(`${width} px`, () => {
    test.use({ viewport: { width, height: 740 } });

    test('accessibility: no violation and no horizontal scroll on the main pages, light and dark', async ({
      page,
      context,
      createPerson,
      signIn,
    }) => {
      test.setTimeout(300_000);
      const organizer = await createPerson();
      const pages = await listPages(organizer, await createPerson());
      await signIn(context, organizer);
      for (const path of pages) {
        await page.emulateMedia({ colorScheme: 'light' });
        await page.goto(path);
        await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
        expect.soft(await overflowOf(page), path).toBe(0);
        expect.soft(await violationsOf(new AxeBuilder({ page }).withTags(tags)), path).toEqual([]);
        await page.emulateMedia({ colorScheme: 'dark' });
        // No other rule of these tags depends on colours.
        const contrast = new AxeBuilder({ page }).withRules(['color-contrast', 'link-in-text-block']);
        expect.soft(await violationsOf(contrast), `${path}, dark`).toEqual([]);
      }
    });
  });
}

test('pages: the first load of an event has at most 100 kB of scripts and styles, compressed', async ({
  page,
  createPerson,
}) => {
  const { id } = await newEvent(await createPerson());
  const sizes: Promise<{ responseBodySize: number }>[] = [];
  page.on('requestfinished', (request) => {
    if (['script', 'stylesheet'].includes(request.resourceType())) sizes.push(request.sizes());
  });
  const live = page.waitForRequest(/\/live$/);
  await page.goto(`/e/${id}`);
  // The last script is the one that listens to changes.
  await live;
  const bytes = (await Promise.all(sizes)).reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
  expect(bytes).toBeGreaterThan(20_000);
  expect(bytes).toBeLessThan(100_000);
});
