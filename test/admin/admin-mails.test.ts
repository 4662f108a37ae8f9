/** The list of mails for admins, and the test mail. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { readLinkToken } from '../../src/modules/accounts/codes/links.ts';
import { exampleKinds } from '../../src/modules/notifications/mail/examples.ts';
import { languages } from '../../web/src/lib/language/languages.ts';
import { createMailClient } from '../mail/mail-client.ts';
import { createAdmin, createUser, deleteAccount } from '../support/factories.ts';
import { headerOf, type ReceivedMail } from '../support/mail-server.ts';
import { expectProblem, expectStatus, secretKey, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const mails = await createMailClient(api);
const admin = await createAdmin(api);
const list = async (query = '') =>
  expectStatus(await api.get(`/v1/admin/mails${query}`, admin.token), 200).body;
const sendTest = (body: object) => api.post('/v1/admin/mails/test', admin.token, body);

// spec: 5 GET /v1/admin/mails: the mails and what became of them
// spec: 5 POST /v1/admin/mails/test: a test mail
test('mails: 202 for a test mail; the list has every field, the newest first, and is filtered by state', async () => {
  const { id } = expectStatus(await sendTest({ address: 'Noor@example.net', language: 'de' }), 202).body;
  const queued = await list();
  const { createdAt, dueAt, ...mail } = queued.data[0];
  assert.deepEqual(mail, {
    ...{ id, kind: 'test', userId: admin.id, address: 'noor@example.net', state: 'queued' },
    ...{ attempts: 0, reply: '', endedAt: null },
  });
  assert.equal(dueAt, createdAt);
  await mails.createSender().run();
  assert.equal(
    headerOf(mails.mailServer.received[0] as ReceivedMail, 'Subject'),
    'Eine Testmail von Potluck',
  );
  mails.mailServer.reply = (command) => (command === 'RCPT' ? '550 5.1.1 no such user' : undefined);
  const refused = expectStatus(await sendTest({ address: 'gone@example.net' }), 202).body;
  await mails.createSender().run();
  const { data } = await list();
  assert.deepEqual(
    data.map(({ id, state, attempts, reply, dueAt }: Record<string, unknown>) => [
      id,
      state,
      attempts,
      reply,
      dueAt,
    ]),
    [
      [refused.id, 'failed', 1, '550 5.1.1 no such user', null],
      [id, 'sent', 1, '250 2.0.0 accepted', null],
    ],
  );
  assert.ok(data.every(({ endedAt }: { endedAt: string }) => Date.parse(endedAt)));
  assert.deepEqual(
    (await list('?state=failed')).data.map((each: { id: string }) => each.id),
    [refused.id],
  );
  assert.deepEqual((await list('?state=suppressed')).data, []);
  const first = await list('?limit=1');
  const second = await list(`?limit=1&cursor=${first.nextCursor}`);
  assert.deepEqual([first.data[0].id, second.data[0].id, second.nextCursor], [refused.id, id, null]);
});

test('mails: 400 for what is no address, 503 without mail', async () => {
  for (const address of [
    '',
    'noor',
    'a@b@example.net',
    'a b@example.net',
    `${'a'.repeat(65)}@example.net`,
    '<a@b.c>',
  ])
    expectProblem(await sendTest({ address }), 400, 'invalid_request');
  const without = await api.startAnother({ env: { MAIL_DRIVER: 'off' } });
  const answer = await without.post('/v1/admin/mails/test', admin.token, { address: 'noor@example.net' });
  expectProblem(answer, 503, 'mail_unavailable');
});

const tokenIn = /\?token=(\S+)/g;

// spec: 5 GET /v1/admin/mails/preview: what a mail of each kind looks like
test('mail preview: each kind in each language, as a mail of this server; its tokens stop no mails and sign nobody in', async () => {
  const PUBLIC_URL = 'https://events.example.org';
  const server = await api.startAnother({ env: { PUBLIC_URL, INSTANCE_NAME: 'Village' } });
  for (const kind of exampleKinds)
    for (const language of languages) {
      const path = `/v1/admin/mails/preview?kind=${kind}&language=${language}`;
      const { subject, sender, text, html } = expectStatus(await server.get(path, admin.token), 200).body;
      assert.notEqual(subject, '');
      assert.match(sender, /Village/);
      assert.match(html, new RegExp(`^<!doctype html><html lang="${language}"`));
      assert.ok(html.includes('Village') && !text.includes('Potluck'));
      for (const [, token = ''] of text.matchAll(tokenIn)) {
        expectProblem(await server.post(`/v1/unsubscribe?token=${token}`), 400, 'invalid_request');
        assert.equal(readLinkToken(secretKey, token), null);
      }
    }
  const previewIn = async (more: string) =>
    (await server.get(`/v1/admin/mails/preview?kind=reminder${more}`, admin.token)).body;
  const [reminder, german] = [await previewIn(''), await previewIn('&language=de')];
  assert.match(reminder.text, /https:\/\/events\.example\.org\/e\//);
  assert.notEqual(reminder.subject, german.subject);
});

test('mail preview: without PUBLIC_URL, a mail leads to no page; 400 for an unknown kind or language', async () => {
  const { body } = await api.get('/v1/admin/mails/preview?kind=reminder', admin.token);
  assert.doesNotMatch(`${body.text}${body.html}`, /https?:/);
  for (const query of ['', '?kind=rsvps', '?kind=toString', '?kind=reminder&language=fi'])
    expectProblem(await api.get(`/v1/admin/mails/preview${query}`, admin.token), 400, 'invalid_request');
});

test('mails: the deletion of an account deletes its mails and those about it', async () => {
  const [person, other] = [await createUser(api), await createUser(api)];
  await mails.store({ userId: person.id }, { userId: other.id, subjectId: person.id }, { userId: other.id });
  await deleteAccount(api, person);
  const rows = await api.sql`select 1 from mails where user_id = any(${[person.id, other.id]}::uuid[])`;
  assert.equal(rows.length, 1);
});
