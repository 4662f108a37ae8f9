/** Hostile requests for every page and every form of a page. */
import { listPageRoutes, type PageRoute, pathOf } from './page-routes.ts';

export type PageRequest = {
  /** The route, the form and what is wrong with the request. */
  name: string;
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
};

/** The names of requests that would end what the others need: the session, the account and the event. */
export const endsOthers =
  /^POST \/(?:sign-out|settings\/(?:delete|devices|sign-in)|admin\/people|e\/\[id\]\/\(organizer\)\/delete|admin.*\?\/suspend)/;

/** The ids of what the pages show. */
export type Subjects = { event: string; item: string; person: string; report: string };

/** Values of a single field. */
export const hostileTexts: string[] = [
  '',
  '-1',
  '1e400',
  '9'.repeat(300),
  '٣',
  '\0',
  '\u{1f600}\u0301',
  'PST',
  '2026-02-30',
  '+275760-09-13',
  '-271821-04-20',
  '24:00',
  '//evil.example',
  'http://[::1',
  '__proto__',
  'constructor',
  '%E0%A4%A',
  '{"label":"Paris","town":"Paris","lat":48,"lng":2,"timeZone":"PST"}',
  '{"label":"Paris","town":"Paris","lat":1e308,"lng":-1e308,"timeZone":"UTC"}',
];

const differentLetters = Array.from({ length: 5_000 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('');

/** Long values, which are sent in all fields of a request at once, up to the longest form that a server takes. */
export const longTexts: Record<string, string> = {
  commas: 'a,'.repeat(45_000),
  'combining marks': '\u0301'.repeat(30_000),
  hosts: `http://${differentLetters}.example/`,
  slashes: '/'.repeat(90_000),
  spaces: `a${' '.repeat(90_000)}b`,
  lines: 'a\r\n'.repeat(30_000),
  brackets: '['.repeat(90_000),
  digits: '1'.repeat(90_000),
  letters: 'x'.repeat(90_000),
};

/** In bytes: longer requests are refused before they reach a page. */
const [maxQuery, maxForm] = [12_000, 180_000];

const formType = 'application/x-www-form-urlencoded';

/** Values that a form needs to be read to its end. */
const usual = ({ event, item, person, report }: Subjects): Record<string, string> => ({
  address: 'Göteborg',
  category: 'food',
  choice: '',
  currency: 'EUR',
  endDate: '',
  endTime: '22:00',
  eventId: event,
  id: item,
  item,
  itemId: item,
  language: 'en',
  next: '/people',
  place: '{"label":"Göteborg","town":"Göteborg","lat":57.7,"lng":11.97,"timeZone":"Europe/Stockholm"}',
  quantity: '1',
  report,
  startDate: '2027-05-01',
  startTime: '18:00',
  status: 'going',
  text: 'Hello',
  title: 'Supper',
  type: 'user',
  userId: person,
  visibility: 'private',
  view: 'map',
  when: 'range',
});

/** Makes one request after the other: their bodies are a gigabyte together. */
export async function* hostileRequests(subjects: Subjects): AsyncGenerator<PageRequest> {
  for (const route of await listPageRoutes()) {
    yield* hostileReads(route, subjects);
    for (const action of route.actions) yield* hostileForms(route, action, subjects);
  }
}

/** A path of the route, for the subject that its parameter names. */
const pathTo = ({ id }: PageRoute, { event, person, report }: Subjects): string =>
  pathOf(id, id.startsWith('/admin') ? report : /^\/(?:u|messages)\//.test(id) ? person : event);

function* hostileReads(route: PageRoute, subjects: Subjects): Generator<PageRequest> {
  if (!route.isReadable) return;
  const path = pathTo(route, subjects);
  const values = usual(subjects);
  const read = (what: string, query: string): PageRequest => ({
    name: `GET ${route.id}: ${what}`,
    method: 'GET',
    path: `${path}?${cut(query, maxQuery)}`,
    headers: {},
  });
  yield read('an action', '/none');
  yield read('a broken escape', 'q=%E0%A4&%=%');
  for (const name of route.names) {
    for (const value of hostileTexts)
      yield read(`${name}=${value.slice(0, 40)}`, `${new URLSearchParams({ ...values, [name]: value })}`);
  }
  const share = Math.floor(maxQuery / Math.max(route.names.length, 1));
  for (const [what, value] of Object.entries(longTexts)) {
    yield read(what, `${new URLSearchParams(route.names.map((name) => [name, value.slice(0, share)]))}`);
    for (const name of route.names)
      yield read(`${name}: ${what}`, `${new URLSearchParams({ [name]: value.slice(0, maxQuery) })}`);
  }
}

/** Without a part of an escape at the end. */
const cut = (query: string, length: number): string => query.slice(0, length).replace(/%[0-9A-F]?$/, '');

const part = (name: string, value: string): string =>
  `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

/** Bodies that are no forms, or forms of a size that no page has: what is wrong, the type and the body. */
const oddBodies = ({ names }: PageRoute): [what: string, type: string | null, body: string][] => {
  const multipart = 'multipart/form-data; boundary=b';
  const files = names.map((name) => part(`${name}"; filename="a.txt`, 'x')).join('');
  return [
    ['no body', null, ''],
    ['an empty form', formType, ''],
    ['a body without a type', null, 'a=b'],
    ['JSON', 'application/json', '{}'],
    ['text', 'text/plain', 'a=b'],
    ['a broken escape', formType, '%E0%A4%A=%&a=%zz'],
    ['multipart without a boundary', 'multipart/form-data', 'a'],
    ['multipart that is none', multipart, 'a'],
    ['multipart without an end', multipart, part('name', 'a')],
    ['multipart with a file in place of each text', multipart, `${files}--b--\r\n`],
    ['many parts', multipart, `${part('itemTitle', 'x').repeat(2_000)}--b--\r\n`],
    ['many rows', formType, 'itemTitle=x&'.repeat(8_000)],
    ['many names', formType, Array.from({ length: 8_000 }, (_, i) => `n${i}=x`).join('&')],
  ];
};

function* hostileForms(route: PageRoute, action: string, subjects: Subjects): Generator<PageRequest> {
  const page = pathTo(route, subjects);
  const isNamed = action !== 'default' && action !== 'POST';
  const known = Object.entries(usual(subjects)).filter(([name]) => route.names.includes(name));
  const values = Object.fromEntries(known);
  const post = (what: string, type: string | null, body: string): PageRequest => ({
    name: `POST ${route.id}?/${action}: ${what}`,
    method: 'POST',
    path: isNamed ? `${page}?/${action}` : page,
    headers: type === null ? {} : { 'content-type': type },
    body,
  });
  const form = (what: string, fields: Record<string, string>) =>
    post(what, formType, cut(`${new URLSearchParams(fields)}`, maxForm));
  yield { ...post('an action that does not exist', formType, 'a=b'), path: `${page}?/none` };
  yield { ...post('no action', formType, 'a=b'), path: page };
  for (const body of oddBodies(route)) yield post(...body);
  for (const name of route.names)
    for (const value of hostileTexts)
      yield form(`${name}=${value.slice(0, 40)}`, { ...values, [name]: value });
  const share = Math.floor(maxForm / Math.max(route.names.length, 1));
  for (const [what, value] of Object.entries(longTexts)) {
    yield form(what, Object.fromEntries(route.names.map((name) => [name, value.slice(0, share)])));
    for (const name of route.names) yield form(`${name}: ${what}`, { ...values, [name]: value });
  }
}
