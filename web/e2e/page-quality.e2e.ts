/** What search engines read on the main pages, and what browsers find wrong with them. */
import type { BrowserContext, Page } from '@playwright/test';
import { createUpload, updateEvent } from '@potluck/client';
import sharp from 'sharp';
import { url as base } from './environment.ts';
import { createPages } from './every-page.ts';
import { expect, newAdmin, newEvent, test } from './fixtures.ts';
import { findFaults, inspectHead, reportPermissionRequests } from './inspect-page.ts';

/** Collects what the browser reports: messages, exceptions, issues, failed requests and requests to other servers. */
async function watch(page: Page): Promise<string[]> {
  const reports: string[] = [];
  const add = (text: string) => {
    // The map needs a graphics driver, which the machine may not have.
    if (!/WebGL|GPU/.test(text)) reports.push(`${page.url()}: ${text}`);
  };
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') add(message.text());
  });
  page.on('pageerror', ({ message }) => add(message));
  page.on('request', (request) => {
    const url = request.url();
    if (/^https?:/.test(url) && !url.startsWith(`${base}/`)) add(`request to ${url}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) add(`${response.status()} ${response.url()}`);
  });
  page.on('requestfailed', (request) => {
    const { errorText = '' } = request.failure() ?? {};
    // The next page ends the requests of the one before.
    if (errorText !== 'net::ERR_ABORTED') add(`${errorText} ${request.url()}`);
  });
  // Deprecated interfaces, mixed content, refused cookies, blocked responses, and more.
  const session = await page.context().newCDPSession(page);
  session.on('Audits.issueAdded', ({ issue }) => add(`${issue.code} ${JSON.stringify(issue.details)}`));
  await session.send('Audits.enable');
  await page.addInitScript(reportPermissionRequests);
  return reports;
}

/** Opens a page, asserts what every page has, and returns its metadata. */
async function inspect(page: Page, path: string) {
  const response = await page.goto(path);
  expect.soft(response?.status(), path).toBe(200);
  // SvelteKit adds the element once the scripts run. A page in a frame has no scripts.
  if (!path.startsWith('/embed/')) await expect(page.locator('#svelte-announcer')).toBeAttached();
  // Behind a proxy with TLS, the absolute address of a file or a form could have the wrong scheme.
  const html = (await response?.text()) ?? '';
  const absolute = html.match(
    /<(script|img|link(?! rel="canonical")|source|form)[^>]* (src|href|action)="(\w+:)?\/\//g,
  );
  expect.soft(absolute, path).toBeNull();
  expect.soft(await page.evaluate(findFaults), path).toEqual([]);
  const { titles, descriptions, robots, canonicals, ...others } = await page.evaluate(inspectHead);
  expect.soft(others, path).toEqual({
    doctype: 'html',
    mode: 'CSS1Compat',
    charset: 'UTF-8',
    language: 'en',
    viewports: ['width=device-width, initial-scale=1'],
    // A page has the same address in all languages.
    alternates: [],
  });
  expect.soft(titles, path).toEqual([expect.stringMatching(/^\S.* · Potluck$/)]);
  const { 'x-robots-tag': header } = response?.headers() ?? {};
  const rules = [...robots, header].join();
  return { path, title: titles[0], descriptions, canonicals, mayBeIndexed: !rules.includes('noindex') };
}

type Inspected = Awaited<ReturnType<typeof inspect>>;

/** Asserts that titles differ, except for addresses of one page that differ in their query. */
function expectDifferentTitles(inspected: Inspected[]): void {
  const titles = Map.groupBy(inspected, ({ title }) => title);
  for (const [title, pages] of titles)
    expect.soft(new Set(pages.map(({ path }) => path.split('?')[0])).size, title).toBe(1);
}

/** Pages that lead an admin with a name elsewhere. */
const notForAdmins = [
  // The contact and the link of an invitation are for who made it.
  '/e/[id]/(organizer)/invitations/[invitation]',
  ...['/e/[id]/answer', '/e/[id]/guests', '/import/[id]', '/setup', '/sign-in', '/sign-in/link'],
  ...['/sign-in/name', '/suspended'],
];

/** Whether a visitor sees the page, and is not led to another one. */
const isShown = async ({ request }: BrowserContext, path: string): Promise<boolean> =>
  (await request.get(path, { maxRedirects: 0 })).status() === 200;

test('pages, signed out: three may be indexed, and have descriptions; browsers and search engines find no fault', async ({
  page,
  createPerson,
}) => {
  test.setTimeout(60_000);
  const [organizer, guest] = [await createPerson(), await createPerson()];
  const { id } = await newEvent(organizer, { description: 'Bring what you like.\nhttps://example.org' });
  const event = `/e/${id}`;
  const picture = await sharp({ create: { width: 900, height: 900, channels: 3, background: 'teal' } })
    .webp()
    .toBuffer();
  const { data } = await createUpload({
    client: organizer.client,
    body: new Blob([new Uint8Array(picture)]),
  });
  await updateEvent({ client: organizer.client, path: { id }, body: { coverUrl: data.url } });
  const reports = await watch(page);
  const person = `/u/${guest.id}`;
  const paths = ['/', event, person, '/?view=map', `${person}?when=past`, `${event}/share`];
  paths.push(`${person}/followers`, `${person}/following`, '/people', '/calendar', '/sign-in', '/offline');
  const inspected: Inspected[] = [];
  for (const path of paths) inspected.push(await inspect(page, path));
  expectDifferentTitles(inspected);
  const indexed = inspected.filter(({ mayBeIndexed }) => mayBeIndexed);
  expect(indexed.map(({ path }) => path)).toEqual(['/', event, person, `${person}?when=past`]);
  for (const { path, descriptions, canonicals } of indexed) {
    expect.soft(descriptions, path).toEqual([expect.stringMatching(/^\S[^\n]{10,}$/)]);
    expect.soft(canonicals, path).toEqual([`${base}${path.split('?')[0]}`]);
  }
  expect(new Set(indexed.map(({ descriptions }) => descriptions[0])).size).toBe(3);
  // A page in a frame has the title of the page that it shows, and names it.
  const frame = await inspect(page, `/embed/${id}`);
  expect(frame).toMatchObject({ canonicals: [`${base}${event}`], mayBeIndexed: false });
  expect(reports).toEqual([]);
});

test('pages, signed in: only public ones may be indexed; browsers find no fault', async ({
  page,
  context,
  signIn,
  createPerson,
}) => {
  test.setTimeout(240_000);
  const [organizer, guest, suspended] = [await createPerson(), await createPerson(), await createPerson()];
  const admin = await newAdmin();
  const { '/admin/mails/preview': _mails, ...pages } = await createPages({
    organizer,
    guest,
    admin,
    suspended,
  });
  await signIn(context, admin);
  const reports = await watch(page);
  const inspected: (Inspected & { route: string })[] = [];
  for (const [route, paths] of Object.entries(pages))
    for (const path of paths)
      if (await isShown(context, path)) inspected.push({ route, ...(await inspect(page, path)) });
  // A page in a frame has the title of the page that it shows.
  const titled = inspected.filter(({ route }) => route !== '/embed/[id]');
  expectDifferentTitles(titled.map(({ route, ...each }) => ({ ...each, path: route })));
  const indexed = inspected.filter(({ mayBeIndexed }) => mayBeIndexed);
  expect([...new Set(indexed.map(({ route }) => route))].sort()).toEqual(['/', '/e/[id]', '/u/[id]']);
  const shown = new Set(inspected.map(({ route }) => route));
  expect(
    Object.keys(pages)
      .filter((route) => !shown.has(route))
      .sort(),
  ).toEqual(notForAdmins);
  expect(reports).toEqual([]);
});
