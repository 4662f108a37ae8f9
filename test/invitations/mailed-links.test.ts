/** Opening the links of mails, as mail scanners do, changes nothing, uses nothing up and sends nothing. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { exampleKinds, mailExample } from '../../src/modules/notifications/mail/examples.ts';
import { takeSnapshot } from '../support/database-snapshots.ts';
import { addAddress, createEvent, createUser, nextAddress, rsvpGoing } from '../support/factories.ts';
import { answerAsGuest } from '../support/guests.ts';
import { linkClient } from '../support/invitation-links.ts';
import { createInviter, invite } from '../support/invitations.ts';
import { headerOf, textOf } from '../support/mail-server.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

const publicUrl = 'https://events.example.org';
const api = await startTestApp({ pages: true });
const { mailed, wordsOf, texts } = await createInviter(api);

const pathsIn = (text: string): string[] =>
  [...text.matchAll(/https:\/\/events\.example\.org(\/[^\s<>"\\]*)/g)].map(([, path = '']) => path);

/** What addresses of one page have in common: its path without ids and tokens, and the names of its parameters. */
function shapeOf(path: string): string {
  const { pathname, searchParams } = new URL(path, publicUrl);
  const page = pathname.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ':id').replace(/^\/i\/.*/, '/i/:token');
  return [page, ...[...searchParams.keys()].sort()].join(' ');
}

/** The links of the examples of all kinds of mails. */
function listExampleLinks(): string[] {
  const context = { instance: 'Potluck', links: publicUrl };
  return exampleKinds.flatMap((kind) => pathsIn(JSON.stringify(mailExample(kind, 'en', context))));
}

test('mails: GET and HEAD of every link, twice, change nothing, use nothing up and send nothing', async () => {
  const [organizer, person] = [await createUser(api, { name: 'Noor' }), await createUser(api)];
  const event = await createEvent(api, organizer);
  const [address, guestAddress, invited] = [await addAddress(api, person), nextAddress(), nextAddress()];
  await rsvpGoing(api, person, event.id);
  await answerAsGuest(api, event.id, { email: guestAddress, name: 'Mara', status: 'going' });
  await invite(api, organizer, event.id, [{ name: 'Ana', email: invited }]);
  api.clock.advance(11 * 60_000);
  expectStatus(
    await api.patch(`/v1/events/${event.id}`, organizer.token, {
      location: { address: 'Quay 5', lat: 59.3, lng: 18.1 },
    }),
    200,
  );
  const mails = await mailed();
  assert.deepEqual(mails.flatMap(({ to }) => to).sort(), [address, guestAddress, invited].sort());
  const email = nextAddress();
  const codes = [
    await api.post(`/v1/events/${event.id}/guest-code`, undefined, { email }),
    await api.post('/v1/auth/email/request', undefined, { email: address }),
  ].map((response) => expectStatus(response, 202).body.devLink as string);
  const paths = [
    ...mails.flatMap((mail) => pathsIn(`${wordsOf(mail)}\n${headerOf(mail, 'List-Unsubscribe')}`)),
    // The answers of an invitation stand in the HTML alone.
    ...mails.filter(({ to }) => to.includes(invited)).flatMap((mail) => pathsIn(textOf(mail, 2))),
    ...codes.map((link) => new URL(link).pathname + new URL(link).search),
  ];

  const examples = listExampleLinks();
  const opened = new Set(paths.map(shapeOf));
  const secret = examples
    .map(shapeOf)
    .filter((shape) => / (token|code)/.test(shape) || shape.startsWith('/i/'));
  assert.deepEqual(
    [...new Set(secret)].filter((shape) => !opened.has(shape)),
    [],
    'links that no mail of this test has',
  );

  const before = await takeSnapshot(api.sql);
  for (const path of new Set([...paths, ...examples]))
    for (const method of ['GET', 'HEAD', 'GET', 'HEAD']) {
      const response = await fetch(api.url + path, { method, redirect: 'manual' });
      await response.text();
      const limit = paths.includes(path) ? 400 : 500;
      assert.ok(response.status < limit, `${method} ${path}: ${response.status}`);
    }
  assert.deepEqual(await mailed(), []);
  assert.deepEqual(texts, []);
  assert.deepEqual(await takeSnapshot(api.sql), before);

  // The buttons still work.
  const link = linkClient(api, paths.find((path) => path.startsWith('/i/'))?.replace('/i/', '') ?? '');
  assert.equal(expectStatus(await link.read(), 200).body.status, 'pending');
  const linkToken = new URL(codes[0] ?? '').searchParams.get('token');
  expectStatus(
    await api.post(`/v1/events/${event.id}/guest-rsvp`, undefined, {
      linkToken,
      name: 'Bo',
      status: 'going',
    }),
    200,
  );
});
