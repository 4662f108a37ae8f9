/** What Lighthouse says of the main pages on a phone. */
import lighthouse from 'lighthouse';
import { port } from './environment.ts';
import { claim, expect, goTo, newEvent, newItem, test } from './fixtures.ts';

const debuggingPort = port + 1_000;
/** The score of performance is not among them, because it depends on what else the machine does. */
const onlyCategories = ['accessibility', 'best-practices', 'seo'];
/** Scores in percent. */
type Scores = { accessibility: number; bestPractices: number; seo: number };

async function scoresOf(url: string, cookie: string): Promise<Scores> {
  const result = await lighthouse(url, {
    port: debuggingPort,
    logLevel: 'error',
    onlyCategories,
    throttlingMethod: 'provided',
    disableFullPageScreenshot: true,
    networkQuietThresholdMs: 1_000,
    cpuQuietThresholdMs: 500,
    // The stream of an event never ends, and so the network is never quiet.
    maxWaitForLoad: 5_000,
    extraHeaders: { cookie },
  });
  if (!result) throw new Error(`Lighthouse has no result for ${url}`);
  const { categories } = result.lhr;
  const percent = (category: string) => Math.round((categories[category]?.score ?? 0) * 100);
  return {
    accessibility: percent('accessibility'),
    bestPractices: percent('best-practices'),
    seo: percent('seo'),
  };
}

/** `mayBeIndexed`: Lighthouse refuses pages that search engines must not index, so that there is no score for them. */
const pages = [
  { name: 'front page', pathOf: () => '/', mayBeIndexed: true },
  { name: 'event', pathOf: (id: string) => `/e/${id}`, mayBeIndexed: true },
  { name: 'who brings what', pathOf: (id: string) => `/e/${id}/bring`, mayBeIndexed: false },
];

test('lighthouse: nothing to improve in accessibility, best practices and search engines', async ({
  playwright,
  context,
  baseURL,
  createPerson,
  signIn,
}, { project }) => {
  test.setTimeout(180_000);
  const organizer = await createPerson();
  const guest = await createPerson();
  const event = await newEvent(organizer, { description: 'Bring what you like.' });
  const item = await newItem(organizer, event.id);
  await goTo(guest, event.id);
  await claim(guest, item.id);
  await signIn(context, organizer);
  const cookies = await context.cookies();
  const session = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const { executablePath, args = [] } = project.use.launchOptions ?? {};
  const browser = await playwright.chromium.launch({
    ...(executablePath && { executablePath }),
    args: [...args, `--remote-debugging-port=${debuggingPort}`],
  });
  try {
    for (const { name, pathOf, mayBeIndexed } of pages) {
      const scores = await scoresOf(`${baseURL}${pathOf(event.id)}`, mayBeIndexed ? '' : session);
      console.log(`${name}: ${JSON.stringify(scores)}`);
      expect.soft(scores, name).toMatchObject({
        accessibility: 100,
        bestPractices: 100,
        ...(mayBeIndexed && { seo: 100 }),
      });
    }
  } finally {
    await browser.close();
  }
});
