/** People, events and browsers for the tests. */
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type BrowserContext, test as base, expect, type Page } from '@playwright/test';
import {
  type AddedItem,
  addItem,
  type Client,
  type CreateImportErrors,
  type CreateImportResponses,
  claimItem,
  createClient,
  createEvent,
  type Event,
  getImport,
  requestCode,
  setRsvp,
  signIn as signInClient,
  updateMe,
} from '@potluck/client';
import { chromium, dataDir, entry, flags, url } from './environment.ts';

export { expect };

export type Person = { id: string; name: string; phone: string; client: Client };

type EventOverrides = Partial<Parameters<typeof createEvent>[0]['body']>;

type Fixtures = {
  /** Creates a person who is signed in with a client of the API. */
  createPerson(name?: string): Promise<Person>;
  /** Signs a browser in. */
  signIn(context: BrowserContext, person: Person): Promise<void>;
  /** Opens another browser, for someone else. */
  openBrowser(person?: Person): Promise<Page>;
  /** Creates an event, and a guest who is going and brings some of its only item. */
  createClaim(quantity?: number): Promise<{ host: Person; event: Event; guest: Person }>;
  /** Creates an event with one item, and signs the browser in as a guest who has no RSVP. */
  signInAsGuest(overrides?: EventOverrides): Promise<{ host: Person; event: Event; guest: Person }>;
};

export const test = base.extend<Fixtures>({
  createPerson: async ({ baseURL }, use) => use((name) => createPerson(baseURL ?? '', name)),
  signIn: async ({ baseURL }, use) => use((context, person) => signIn(baseURL ?? '', context, person)),
  openBrowser: async ({ browser, baseURL, viewport }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async (person) => {
      const context = await browser.newContext({ baseURL: baseURL ?? '', viewport, locale: 'en-GB' });
      contexts.push(context);
      if (person) await signIn(baseURL ?? '', context, person);
      return context.newPage();
    });
    for (const context of contexts) await context.close();
  },
  createClaim: async ({ createPerson }, use) =>
    use(async (quantity) => {
      const host = await createPerson();
      const event = await newEvent(host);
      const item = await newItem(host, event.id);
      const guest = await createPerson();
      await goTo(guest, event.id);
      await claim(guest, item.id, quantity);
      return { host, event, guest };
    }),
  signInAsGuest: async ({ baseURL, context, createPerson }, use) =>
    use(async (overrides) => {
      const host = await createPerson();
      const event = await newEvent(host, overrides);
      await newItem(host, event.id);
      const guest = await createPerson();
      await signIn(baseURL ?? '', context, guest);
      return { host, event, guest };
    }),
});

const names = ['Ada', 'Bela', 'Carla', 'Dario', 'Elif', 'Farid', 'Greta', 'Hanna', 'Ines', 'Jonas'];

/** A number that the API accepts and no other test uses. */
export const newPhone = (): string => `+47${randomInt(40_000_000, 49_999_999)}`;

/** A mail address that no other test uses. */
export const newAddress = (): string => `p${randomInt(10 ** 9)}@example.org`;

async function createPerson(
  baseUrl: string,
  name = `${names[randomInt(names.length)]} ${randomInt(10_000)}`,
) {
  const phone = newPhone();
  const client = createClient({ baseUrl });
  const { data: sent } = await requestCode({ client, body: { phone } });
  const { data } = await signInClient({ client, body: { phone, code: sent.devCode ?? '' } });
  await updateMe({ client, body: { name } });
  return { id: data.user.id, name, phone, client };
}

/** Creates an admin, as an operator does. */
export async function newAdmin(): Promise<Person> {
  const admin = await createPerson(url, 'Alva Admin');
  const env = { ...process.env, DATA_DIR: dataDir };
  await promisify(execFile)(process.execPath, [entry, 'admin', 'grant', admin.phone], { env });
  return admin;
}

async function signIn(baseUrl: string, context: BrowserContext, { phone }: Person): Promise<void> {
  const headers = { origin: baseUrl };
  const sent = await context.request.post('/v1/auth/otp/request', { data: { phone }, headers });
  const { devCode } = (await sent.json()) as { devCode: string };
  const response = await context.request.post('/v1/auth/browser-session', {
    data: { phone, code: devCode },
    headers,
  });
  expect(response.status()).toBe(200);
}

const inDays = (days: number, hour = 18): string => {
  const day = new Date();
  day.setUTCDate(day.getUTCDate() + days);
  day.setUTCHours(hour, 0, 0, 0);
  return day.toISOString();
};

/** Creates a public event of `organizer` in a week. */
export async function newEvent({ client }: Person, overrides: EventOverrides = {}): Promise<Event> {
  const body = {
    title: 'Harbour potluck',
    startAt: inDays(7),
    endAt: inDays(7, 22),
    location: { address: 'Aker Brygge, Oslo', lat: 59.9106, lng: 10.7291 },
    timezone: 'Europe/Oslo',
    category: 'food' as const,
    template: 'potluck' as const,
    ...overrides,
  };
  return (await createEvent({ client, body })).data;
}

/** Adds an item to an event of `organizer`. */
export async function newItem(
  { client }: Person,
  eventId: string,
  overrides: Partial<Parameters<typeof addItem>[0]['body']> = {},
): Promise<AddedItem> {
  const body = { title: 'Sourdough bread', kind: 'bring' as const, quantityNeeded: 3, ...overrides };
  return (await addItem({ client, path: { id: eventId }, body })).data;
}

export async function goTo({ client }: Person, eventId: string): Promise<void> {
  await setRsvp({ client, path: { id: eventId }, body: { status: 'going' } });
}

export async function claim(
  { client }: Person,
  itemId: string,
  quantity = 1,
  note: string | null = null,
): Promise<void> {
  await claimItem({ client, path: { id: itemId }, body: { quantity, note } });
}

/** The code of a sign-in or a deletion, which a server in development shows. */
export const readCode = async (page: Page): Promise<string> =>
  /\d{6}/.exec(await page.getByText('The code is').innerText())?.[0] ?? '';

/** Options for tests of the map: a graphics driver in software, for machines without one. */
export const withWebGl = {
  launchOptions: {
    ...(chromium && { executablePath: chromium }),
    args: [...flags, '--enable-unsafe-swiftshader'],
  },
};

export async function signOut(page: Page): Promise<void> {
  await page.goto('/settings/account');
  await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('banner').getByRole('link', { name: 'Sign in' })).toBeVisible();
}

/** The errors that the browser reports, such as those of the Content-Security-Policy. */
export function collectErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(error.message));
  return errors;
}

/** The horizontal scroll of a page, in CSS pixels. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Holds back the scripts of the pages that are opened next, as a slow connection does. @returns lets them load */
export async function holdScripts(page: Page): Promise<() => void> {
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/_app/immutable/**/*.js', async (route) => {
    await isReleased;
    await route.continue();
  });
  return release;
}

/** An import of one event that is ready for the review. @returns its id */
export async function importCalendar({ client }: Person, title = 'Choir'): Promise<string> {
  const entry = [
    'UID:1',
    `SUMMARY:${title}`,
    'DTSTART:20310318T170000Z',
    `LOCATION:${title}`,
    'GEO:59.9;10.7',
  ];
  const lines = ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', ...entry, 'END:VEVENT'];
  const { data } = await client.post<CreateImportResponses, CreateImportErrors, true>({
    url: '/v1/imports',
    security: [{ scheme: 'bearer', type: 'http' }],
    body: [...lines, 'END:VCALENDAR', ''].join('\r\n'),
    bodySerializer: null,
    headers: { 'Content-Type': 'text/calendar' },
  });
  const path = { id: data.id };
  while ((await getImport({ client, path })).data.status === 'reading') await setTimeout(100);
  return data.id;
}
