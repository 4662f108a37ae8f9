/** Pages about an event that hides its address: each route has a verdict, and what is passed on has the public place for all. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { fromPage, signInBrowser } from '../support/factories.ts';
import { createHiddenEvent, exactWords } from '../support/hidden-event.ts';
import { listPageRoutes, pathOf } from '../support/page-routes.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

/** The page of the event and those below it have the record, which has the exact place for those who may read it. */
const mayRead = ['/e/[id]', '/e/[id]/answer', '/e/[id]/guests', '/e/[id]/comments'];
/** Pages of the organizer have the record too. */
const isOfOrganizer = (route: string) => route.includes('(organizer)');
/** Files and frames of these pages, which are passed on. */
const isPassedOn = ['/e/[id]/preview.png', '/e/[id]/share', '/embed/[id]'];
/** Pages with lists of events, and others that name none. The crawl below reads all of them. */
const others = [
  ...[
    '/',
    '/calendar',
    '/design',
    '/feed',
    '/goodbye',
    '/i/[token]',
    '/map-picture.svg',
    '/messages',
    '/messages/[id]',
  ],
  ...[
    '/mine',
    '/new',
    '/notifications',
    '/notifications/push',
    '/notifications/settings',
    '/offline',
    '/people',
  ],
  ...[
    '/report',
    '/import',
    '/import/[id]',
    '/series/[id]',
    '/series/[id]/guests',
    '/series/[id]/announcements',
    '/settings/account',
    '/settings/blocked',
    '/settings/calendar',
    '/settings/delete',
  ],
  ...[
    '/settings/devices',
    '/settings/language',
    '/settings/sign-in',
    '/settings/[[section]]',
    '/setup',
    '/setup/ready',
  ],
  ...[
    '/sign-in',
    '/sign-in/link',
    '/sign-in/name',
    '/sign-in/oidc',
    '/sign-out',
    '/suspended',
    '/unsubscribe',
  ],
  ...['/u/[id]', '/u/[id]/followers', '/u/[id]/following', '/admin', '/admin/audit', '/admin/mails'],
  ...[
    '/admin/mails/preview',
    '/admin/mails/preview/html',
    '/admin/people',
    '/admin/reports',
    '/admin/reports/[id]',
  ],
  ...['/admin/settings', '/admin/switches'],
];

const api = await startTestApp({ pages: true });
const event = await createHiddenEvent(api, { title: 'Hidden supper', description: '' });
const { organizer, readers } = event;
const { body: shown } = await api.get(`/v1/events/${event.id}`);
const routes = (await listPageRoutes()).filter(({ isReadable }) => isReadable).map(({ id }) => id);

const cookies: Record<string, string> = { anonymous: '' };
for (const [name, { person }] of Object.entries(readers))
  if (person) cookies[name] = await signInBrowser(api, person.phone);

const open = async (path: string, who: string) => {
  const response = await fetch(api.url + path, {
    headers: { ...fromPage, cookie: cookies[who] ?? '', accept: 'text/html', 'accept-language': 'en' },
    redirect: 'manual',
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

test('page: each route has a verdict about hidden addresses', () => {
  const known = [...mayRead, ...isPassedOn, ...others, ...routes.filter(isOfOrganizer)];
  assert.deepEqual(routes.toSorted(), [...new Set(known)].sort());
});

test('page: no route shows a hidden address to those who may not read it, and what is passed on to nobody', async () => {
  const queries: Record<string, string> = { '/messages/[id]': `?event=${event.id}` };
  const ids: Record<string, string> = {
    '/messages/[id]': organizer.id,
    '/u/[id]': organizer.id,
    '/i/[token]': event.linkToken,
  };
  for (const route of routes.filter((route) => route !== '/sign-out')) {
    const [, id = event.id] = Object.entries(ids).find(([start]) => route.startsWith(start)) ?? [];
    const path = pathOf(route, id) + (queries[route] ?? '');
    for (const who of ['anonymous', 'interested', 'going', 'organizer']) {
      const { status, text } = await open(path, who);
      const isAllowed =
        (mayRead.includes(route) && readers[who]?.mayRead) || (isOfOrganizer(route) && who === 'organizer');
      const found = exactWords.exec(text);
      if (found)
        assert.ok(
          isAllowed,
          `${path} for ${who} (${status}): ${text.slice(found.index - 200, found.index + 80)}`,
        );
      else if (route === '/e/[id]') assert.equal(Boolean(readers[who]?.mayRead), false, who);
    }
  }
});

test('page: metadata, JSON-LD, shared texts, the frame and the preview have the public place, for the organizer too', async () => {
  const headOf = ({ text }: { text: string }) => text.slice(0, text.indexOf('</head>'));
  const previews: (string | null)[] = [];
  for (const who of ['anonymous', 'going', 'organizer']) {
    const page = await open(`/e/${event.id}`, who);
    assert.doesNotMatch(headOf(page), exactWords, who);
    const json = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(page.text)?.[1] ?? '';
    const { location } = JSON.parse(json);
    const [place] = [location].flat();
    assert.deepEqual([place.address, place.geo], [shown.location.address, undefined], who);
    assert.match(
      headOf(page),
      new RegExp(`<meta name="description" content="[^"]*${shown.location.address}"`),
    );
    const share = await open(`/e/${event.id}/share`, who);
    assert.ok(share.text.includes(shown.location.address));
    // The version is that of what the image shows.
    const preview = await open(`/e/${event.id}/preview.png`, who);
    previews.push(preview.headers.get('etag'));
  }
  assert.equal(new Set(previews).size, 1);
});

test('page: a private event that hides its address has no place in what is passed on', async () => {
  const hidden = { visibility: 'private' };
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, hidden), 200);
  for (const path of ['share', 'preview.png']) {
    const { text, status } = await open(`/e/${event.id}/${path}`, 'organizer');
    assert.equal(status, 200);
    assert.doesNotMatch(text, exactWords);
  }
  const { text } = await open(`/e/${event.id}/share`, 'organizer');
  assert.match(text, /The exact address is shown to people who are coming/);
});

test('page: no map is drawn around a hidden address, whose words its address would have', async () => {
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { visibility: 'public' }), 200);
  for (const who of ['anonymous', 'going', 'organizer'])
    assert.doesNotMatch((await open(`/e/${event.id}`, who)).text, /map-picture/);
  assert.match(
    (await open(`/e/${event.id}`, 'anonymous')).text,
    /The exact address is shown to people who are coming/,
  );
});
