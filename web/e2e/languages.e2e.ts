/** Arabic, and text at 400 %: on the main pages no word of English is left, and nothing is lost. */
import { randomInt } from 'node:crypto';
import type { BrowserContext, Page } from '@playwright/test';
import { invite, repeatEvent, report, sendMessage, updateMe } from '@potluck/client';
import type { PageRouteId } from '$app/types';
import { openEvent } from './event-steps.ts';
import {
  claim,
  expect,
  goTo,
  importCalendar,
  newAdmin,
  newEvent,
  newItem,
  overflowOf,
  type Person,
  test,
} from './fixtures.ts';

/** Latin words that are right in Arabic, too. */
const allowed = [
  // The name of the software, and that of the provider of the tests
  /^Potluck$/,
  /^(Village|account)$/,
  // Names of formats, interfaces and programs, as browsers report them
  /^(CSV|QR|API|PNG|JPEG|WebP|AVIF|HTML|JavaScript|Chrome|Linux|node)$/,
  // Names of calendars, maps and messengers, and of the format of calendars
  /^(Google|Maps|Apple|OpenStreetMap|Outlook|WhatsApp|Telegram|\.ics|\.csv)$/,
  // The sources of the map and of the places, with their licence
  /^(GeoNames|Natural|Earth|CC|BY)$/,
  // The other languages, each by its own name
  /^(English|Deutsch|Svenska)$/,
  // The name of a key
  /^Ctrl$/,
  // Codes of currencies, in which prices are entered
  /^[A-Z]{3}$/,
  // Generated names of users
  /^@?guest_\w+$/,
  // Time zones in the IANA database
  /^(UTC|[A-Z]\w+\/\w+)$/,
  // Addresses, and the example of their beginning
  /^https?(:|$)/,
  /^\d+\/[ei]\/[\w-]+$/,
  // The example of a mail address
  /^ana@example\.org$/,
];

/** A word in Arabic letters that no other test uses. */
const newWord = (): string => Array.from({ length: 10 }, () => 'ابتجحدرسعفقكلمنهوي'[randomInt(18)]).join('');

/** Pages with nothing to read that other pages lack, or without anything to read in one language. */
type Unread =
  | '/admin'
  | '/admin/audit'
  | '/admin/reports/[id]'
  | '/admin/settings'
  | '/calendar'
  | '/design'
  | '/e/[id]/answer'
  | `/e/[id]/(organizer)/${'cancel' | 'delete' | 'duplicate' | 'guest-list' | 'repeat'}`
  | '/embed/[id]'
  | '/goodbye'
  | '/offline'
  | '/report'
  | `/settings/${'blocked' | 'calendar' | 'delete'}`
  | `/setup${'' | '/ready'}`
  | `/sign-${'in' | 'in/link' | 'in/name' | 'in/oidc' | 'out'}`
  | '/suspended'
  | '/unsubscribe'
  | `/u/[id]/${'followers' | 'following'}`;
/** A new page does not compile without a path here. */
type Pages = Record<Exclude<PageRouteId, Unread> | 'map' | 'settings' | 'error page', string>;

async function createInvitation({ client }: Person, id: string): Promise<string> {
  const body = { people: [{ name: 'سلمى' }], message: 'نفرح بحضورك.' };
  const { data } = await invite({ client, path: { id }, body });
  return new URL(data.data[0]?.url ?? '').pathname;
}

async function createSeries(organizer: Person): Promise<string> {
  const { id } = await newEvent(organizer, { title: 'جوقة' });
  const body = { rrule: 'FREQ=WEEKLY;COUNT=3' };
  const { data } = await repeatEvent({ client: organizer.client, path: { id }, body });
  return `/series/${data.id}`;
}

/** A person with events, items, guests, messages and reports, all of which have Arabic names. */
async function createWorld(create: (name?: string) => Promise<Person>) {
  const admin = await newAdmin();
  await updateMe({ client: admin.client, body: { name: 'مديرة المنصة', bio: 'أهلًا', city: 'بيروت' } });
  const word = newWord();
  const guest = await create(`سلمى ${word}`);
  const event = await newEvent(admin, {
    title: `عشاء مشترك ${word}`,
    description: 'أحضروا ما تحبون.',
    location: { address: 'ساحة المدينة، بيروت', lat: 59.9106, lng: 10.7291 },
    capacity: 5,
    price: 5,
    guestListVisibility: 'everyone',
    claimantVisibility: 'everyone',
  });
  const item = await newItem(admin, event.id, { title: 'خبز', description: 'من المخبز', emoji: '🍞' });
  await newItem(admin, event.id, { title: 'صحون', kind: 'wish' });
  await goTo(guest, event.id);
  await claim(guest, item.id);
  await sendMessage({ client: guest.client, path: { id: admin.id }, body: { text: 'مرحبًا' } });
  await report({
    client: guest.client,
    body: { subject: { type: 'event', id: event.id }, reason: 'scam', text: 'غير حقيقي' },
  });
  const invited = await invite({
    client: admin.client,
    path: { id: event.id },
    body: { people: [{ name: 'ليلى' }] },
  });
  const path = `/e/${event.id}`;
  // Only what this test has created has the word. Other pages are about one person or event.
  const search = `q=${encodeURIComponent(word)}`;
  const series = await createSeries(admin);
  const pages: Pages = {
    '/': `/?${search}`,
    '/e/[id]': path,
    '/e/[id]/comments': `${path}/comments`,
    '/e/[id]/guests': `${path}/guests`,
    '/e/[id]/share': `${path}/share`,
    '/mine': '/mine',
    map: `/?view=map&${search}`,
    '/new': '/new?template=potluck',
    '/e/[id]/(organizer)/edit': `${path}/edit`,
    '/e/[id]/(organizer)/items': `${path}/items`,
    '/e/[id]/(organizer)/bring': `${path}/bring`,
    '/e/[id]/(organizer)/bookings': `${path}/bookings`,
    '/e/[id]/(organizer)/invitations': `${path}/invitations`,
    '/e/[id]/(organizer)/invitations/[invitation]': `${path}/invitations/${invited.data.data[0]?.id}`,
    '/e/[id]/(organizer)/announcements': `${path}/announcements`,
    '/e/[id]/(organizer)/guest-list/add': `${path}/guest-list/add`,
    '/e/[id]/(organizer)/guest-list/[userId]': `${path}/guest-list/${guest.id}`,
    '/i/[token]': await createInvitation(admin, event.id),
    '/import': '/import',
    '/import/[id]': `/import/${await importCalendar(admin, 'خبز')}`,
    '/series/[id]': series,
    '/series/[id]/announcements': `${series}/announcements`,
    '/series/[id]/guests': `${series}/guests`,
    settings: '/settings',
    '/settings/[[section]]': '/settings/profile',
    '/settings/devices': '/settings/devices',
    '/settings/sign-in': '/settings/sign-in',
    '/settings/language': '/settings/language',
    '/settings/account': '/settings/account',
    '/notifications/settings': '/notifications/settings',
    '/messages': '/messages',
    '/messages/[id]': `/messages/${guest.id}`,
    '/notifications': '/notifications',
    '/u/[id]': `/u/${guest.id}`,
    '/people': `/people?${search}`,
    '/feed': '/feed',
    '/admin/reports': '/admin/reports',
    '/admin/people': `/admin/people?${search}`,
    '/admin/switches': '/admin/switches',
    '/admin/mails': '/admin/mails',
    '/admin/mails/preview': '/admin/mails/preview?kind=test',
    'error page': '/nothing/here',
  };
  return { admin, word, pages };
}

const setLanguage = (context: BrowserContext, language: string, baseURL = '') =>
  context.addCookies([{ name: 'language', value: language, url: baseURL }]);

/** Opens a page, and waits until its scripts have taken over. Events and conversations never stop listening. */
async function openPage(page: Page, path: string): Promise<void> {
  const id = /^\/e\/([^/]+)$/.exec(path)?.[1];
  if (id) return openEvent(page, { id });
  if (path.startsWith('/messages/')) {
    const listening = page.waitForRequest('**/__data.json*');
    await page.goto(path);
    await listening;
    return;
  }
  await page.goto(path, { waitUntil: 'networkidle' });
}

/** The words of Latin letters that a visitor sees or hears, each with where it is. */
const findLatin = (page: Page, own: string): Promise<{ word: string; where: string }[]> =>
  page.evaluate((ownWord) => {
    // Events on the map, with the venues and the town that they name, and reports of other tests
    const entries =
      location.pathname === '/admin/reports'
        ? '.report'
        : 'article.event, a.cluster, .cluster span, .without-scripts bdi, h1 a bdi, .town bdi';
    for (const entry of document.querySelectorAll(entries))
      if (!`${entry.textContent} ${entry.ariaLabel}`.includes(ownWord)) entry.remove();
    const found: { word: string; where: string }[] = [];
    const collect = (text: string | null, where: string) => {
      // Names within a sentence are isolated from its direction.
      for (const word of text
        ?.replace(/[\u2066-\u2069]/g, '')
        .match(/[^\s،؛؟()"«»·:,!]*[A-Za-z]{2,}[^\s،؛؟()"«»·:,!]*/g) ?? [])
        found.push({ word: word.replace(/[.…]+$/, ''), where: `${where}: ${text?.trim().slice(0, 80)}` });
    };
    collect(document.title, 'title');
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (!parent || parent.closest('script, style, noscript, textarea, [lang]:not([lang=ar], html)'))
        continue;
      collect(node.textContent, parent.tagName.toLowerCase());
    }
    for (const element of document.querySelectorAll('*')) {
      for (const name of ['aria-label', 'aria-description', 'aria-valuetext', 'alt', 'placeholder', 'title'])
        if (element.hasAttribute(name)) collect(element.getAttribute(name), `[${name}]`);
      if (element instanceof HTMLInputElement && ['submit', 'button', 'reset'].includes(element.type))
        collect(element.value, '[value]');
    }
    return found;
  }, own);

/** The page is written from right to left, and has no word of another language. */
async function expectArabic(page: Page, own: string, name: string): Promise<void> {
  await expect(page.locator('html'), name).toHaveAttribute('dir', 'rtl');
  await expect(page.locator('html'), name).toHaveAttribute('lang', 'ar');
  const latin = (await findLatin(page, own)).filter(({ word }) => !allowed.some((rule) => rule.test(word)));
  const words = latin.map(({ word, where }) => `${word} (${where})`);
  expect.soft(words, name).toEqual([]);
}

/** The controls that a finger or the keyboard cannot reach: clipped, off the screen, or below something else. */
const findUnreachable = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const lost: string[] = [];
    const controls = document.querySelectorAll<HTMLElement>(
      'a[href], button, input, select, textarea, summary',
    );
    for (const control of controls) {
      const isHidden = !control.checkVisibility({ visibilityProperty: true });
      if (isHidden || control.matches('.skip-link, :disabled, [type=hidden]')) continue;
      control.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
      const { left, right, top, bottom } = control.getBoundingClientRect();
      const width = document.documentElement.clientWidth;
      const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      const isHit = hit !== null && (control.contains(hit) || hit.contains(control));
      const isLabelled = hit?.closest('label')?.contains(control) ?? false;
      // A map is moved until the pin at its edge is in sight.
      const isInWindow = (left >= -1 && right <= width + 1) || control.matches('.maplibregl-marker');
      if (!isInWindow || !(isHit || isLabelled))
        lost.push(
          `${control.tagName} ${control.getAttribute('aria-label') ?? control.textContent?.trim().slice(0, 40)} ` +
            `(${Math.round(left)}–${Math.round(right)}, hit ${hit?.tagName}.${hit?.className})`,
        );
    }
    return lost;
  });

/** Opens the main pages, first as a visitor, then as their organizer. */
async function visitAll(
  { page, signIn }: { page: Page; signIn(): Promise<void> },
  pages: Pages,
  check: (name: string) => Promise<void>,
): Promise<void> {
  const visit = async (name: string, path: string) => {
    await openPage(page, path);
    await check(name);
  };
  await visit('sign-in', '/sign-in');
  await visit('event of a visitor', pages['/e/[id]']);
  await signIn();
  for (const [name, path] of Object.entries(pages)) await visit(name, path);
}

// WCAG 1.4.10: a window of 1280 × 1024 pixels at 400 %
test.use({ viewport: { width: 320, height: 256 } });

for (const [language, name] of [
  ['en', 'zoom: at 400 %, the main pages have no horizontal scroll, and every control can be reached'],
  ['ar', 'Arabic: the same, from right to left, and no word of another language'],
] as const) {
  test(name, async ({ page, context, baseURL, createPerson, signIn }) => {
    test.setTimeout(300_000);
    const { admin, word: own, pages } = await createWorld(createPerson);
    await setLanguage(context, language, baseURL);
    await visitAll({ page, signIn: () => signIn(context, admin) }, pages, async (place) => {
      expect.soft(await overflowOf(page), place).toBe(0);
      expect.soft(await findUnreachable(page), place).toEqual([]);
      if (language === 'ar') await expectArabic(page, own, place);
    });
  });
}

test('Arabic: a Latin title stands where the other texts of its row do', async ({
  page,
  context,
  baseURL,
  createPerson,
}) => {
  await setLanguage(context, 'ar', baseURL);
  await page.setViewportSize({ width: 360, height: 740 });
  const word = `z${randomInt(10 ** 9)}`;
  const event = await newEvent(await createPerson(), { title: `Supper ${word}` });
  const rightOf = (element: Element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return Math.round(range.getBoundingClientRect().right);
  };
  await page.goto(`/?q=${word}`);
  const row = page.getByRole('article').first();
  expect(await row.getByRole('heading').evaluate(rightOf)).toBe(await row.locator('.when').evaluate(rightOf));
  await page.goto(`/embed/${event.id}`);
  const edge = await page.locator('h1').evaluate((title) => title.getBoundingClientRect().right);
  expect(await page.locator('h1').evaluate(rightOf)).toBe(Math.round(edge));
});

test('low window: bars that stay in sight take at most a quarter of it', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  await page.setViewportSize({ width: 320, height: 225 });
  const person = await createPerson();
  const event = await newEvent(await createPerson());
  const other = await createPerson();
  await sendMessage({ client: other.client, path: { id: person.id }, body: { text: 'Hello' } });
  await signIn(context, person);
  for (const path of ['/', '/mine', `/e/${event.id}`, '/new?template=potluck', `/messages/${other.id}`]) {
    await page.goto(path);
    await page.evaluate(() => scrollTo(0, 400));
    const covered = await page.evaluate(() => {
      const isBar = (element: Element) => ['sticky', 'fixed'].includes(getComputedStyle(element).position);
      const bars = [...document.querySelectorAll('body *')].filter(
        (element) => isBar(element) && element.checkVisibility({ visibilityProperty: true }),
      );
      const heights = bars.map((element) => element.getBoundingClientRect()).filter((box) => box.width > 200);
      return heights.reduce(
        (sum, { top, bottom }) => sum + Math.max(0, Math.min(bottom, innerHeight) - Math.max(top, 0)),
        0,
      );
    });
    expect.soft(covered, path).toBeLessThanOrEqual(225 / 4);
  }
});
