/** Requests for pages, previews and files of the web app that need much of the server. */

import { runConcurrently } from './client.ts';
import type { Environment, Person } from './environment.ts';
import { createEvent } from './factories.ts';
import { combiningMarks, differentLetters } from './hostile/texts.ts';
import { assignPhones, phoneOf, requestCode } from './phones.ts';
import type { RouteRequest } from './route-request.ts';

/**
 * @param event an event of the owner with much of everything
 * @param others ids of further events of the owner
 * @param variants the number of different addresses of each page: the server keeps none of them in memory
 */
export async function createPageRequests(
  environment: Environment,
  owner: Person,
  event: string,
  others: string[],
  variants: number,
): Promise<RouteRequest[]> {
  const cookie = await signInBrowser(environment, owner);
  const linked = await createEvent(environment, owner, { description: `https://a${'.'.repeat(9_980)}x` });
  const links = await createEvent(environment, owner, { description: 'http://a.example '.repeat(588) });
  const hosts = await createEvent(environment, owner, {
    description: `http://${differentLetters(4_980)} http://${differentLetters(4_980)}`,
  });
  const marks = await createMarkedList(environment, owner);
  const different = (path: string) =>
    Array.from({ length: variants }, (_, i) => `${path}${path.includes('?') ? '&' : '?'}v=${i}`);
  const signedOut: Record<string, string[]> = {
    'the front page': different('/'),
    'ten pages of a search': different('/?q=a&page=10'),
    'data of ten pages of a search': different('/__data.json?q=a&page=10'),
    'the map': different('/?view=map&q=a'),
    'the picture of a town': different('/map-picture.svg?at=57.7,11.9&size=1000,1000'),
    'the picture of a continent': different('/map-picture.svg?box=-12,35,40,71&size=1000,1000'),
    'an event with many items': different(`/e/${event}`),
    'an event with one long address': different(`/e/${linked}`),
    'an event with many addresses': different(`/e/${links}`),
    'an event with hosts of many letters': different(`/e/${hosts}`),
    'a search in items of combining marks': different(`/e/${marks}?q=zz`),
    'guests of an event': different(`/e/${event}/guests`),
    previews: await previewsOf(environment, owner, others, 3 * variants),
    'the sign-in': different('/sign-in'),
    'a page that does not exist': different('/none'),
  };
  const signedIn: Record<string, string[]> = {
    'an event with many items, signed in': [`/e/${event}`],
    'items of the organizer': [`/e/${event}/items`],
    'who brings what': [`/e/${event}/bring`],
    'who brings what by person': [`/e/${event}/bring?by=person`],
    'who brings what as CSV': [`/e/${event}/bring.csv`],
    'guest list of the organizer': [`/e/${event}/guest-list`],
    'bookings of the organizer': [`/e/${event}/bookings`],
    'a duplicate': [`/e/${event}/duplicate`],
    'own events': ['/mine'],
    people: ['/people?q=p'],
    'a profile': [`/u/${owner.id}`],
    'the feed': ['/feed'],
  };
  const toRequests = (pages: Record<string, string[]>, headers: Record<string, string>): RouteRequest[] =>
    Object.entries(pages).map(([name, paths]) => ({ name: `page: ${name}`, method: 'GET', paths, headers }));
  return [
    ...toRequests(signedOut, {}),
    ...toRequests(signedIn, { cookie }),
    ...formRequests('signed out', event, {}),
    ...formRequests('signed in', event, { cookie }),
  ];
}

/** Forms with as many rows and as long texts as a request may have. */
function formRequests(who: string, event: string, headers: Record<string, string>): RouteRequest[] {
  const forms: [name: string, path: string, body: string][] = [
    ['places of an address with many parts', '/new?/places', `address=${'a,'.repeat(40_000)}`],
    ['a draft with many rows', '/new?/draft', 'itemTitle=x&'.repeat(8_000)],
    ['rows of a new event', '/new?/rows', 'itemTitle=x&'.repeat(14_000)],
    [
      'a template for many rows',
      '/new?/template',
      `template=general&next=potluck&${'itemTitle=x&'.repeat(14_000)}`,
    ],
    ['places of a stored event', `/e/${event}/edit?/places`, `address=${'a,'.repeat(40_000)}`],
    ['a language and a long path', '/language', `language=en&next=${'/'.repeat(15_000)}`],
    ['a sign-in with a long path', '/sign-in?/code', `email=a@b.example&next=${'/'.repeat(15_000)}`],
  ];
  const sent = {
    ...headers,
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/x-www-form-urlencoded',
  };
  return forms.map(([name, path, body]) => ({
    name: `form: ${name}, ${who}`,
    method: 'POST',
    paths: [path],
    headers: sent,
    raw: Buffer.from(body),
  }));
}

/** An event with as much text in its items as it may have. Searches remove the marks. */
async function createMarkedList(environment: Environment, owner: Person): Promise<string> {
  const event = await createEvent(environment, owner);
  const item = {
    kind: 'bring',
    title: `a${combiningMarks(119)}`,
    description: combiningMarks(1_000),
    quantityNeeded: 1,
  };
  const body = { items: Array(80).fill(item) };
  for (let i = 0; i < 5; i++)
    await environment.client.send('POST', `/v1/events/${event}/items/batch`, { token: owner.token, body });
  return event;
}

/** Each preview shows another title, so each is drawn once. */
async function previewsOf(
  environment: Environment,
  owner: Person,
  events: string[],
  count: number,
): Promise<string[]> {
  const missing = Math.max(count - events.length, 0);
  const more = await runConcurrently(missing, 16, (i) =>
    createEvent(environment, owner, { title: `A preview of ${i}` }),
  );
  return [...events, ...more].map((id) => `/e/${id}/preview.png`);
}

/** @returns the header `Cookie` of a browser in which the person is signed in */
export async function signInBrowser(environment: Environment, person: Person): Promise<string> {
  await assignPhones(environment, [person]);
  const phone = phoneOf(0);
  const code = await requestCode(environment, phone);
  const { headers } = await environment.client.send('POST', '/v1/auth/browser-session', {
    body: { phone, code },
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  return `${headers['set-cookie']}`.split(';', 1)[0] ?? '';
}
