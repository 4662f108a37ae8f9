/** Mails through a Postfix in front of a Maildir, read back by the parser of Python. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import ICAL from 'ical.js';
import { createMailClient } from '../mail/mail-client.ts';
import { createNewsClient } from '../mail/news-client.ts';
import { createEvent, createUsers, inDays, rsvpGoing } from '../support/factories.ts';
import { localhostCertificate } from '../support/localhost-certificate.ts';
import { type Postfix, postfixProblem, startPostfix } from '../support/postfix.ts';
import { cleanUpAfterTests } from '../support/processes.ts';
import {
  pythonProblem,
  type ReadCalendar,
  type ReadMail,
  readCalendar,
  readMails,
} from '../support/read-mails.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

cleanUpAfterTests();
const problem = postfixProblem || pythonProblem;
if (problem && process.env.CI) throw new Error(problem);
const skip = problem !== '' && problem;

const directory = mkdtempSync(path.join(os.tmpdir(), 'potluck-mail-'));
after(() => rmSync(directory, { recursive: true }));
const MAIL_CA = path.join(directory, 'ca.pem');
writeFileSync(MAIL_CA, localhostCertificate.cert);

/** Waits until Postfix has delivered this number of mails. */
async function delivered(postfix: Postfix, count: number): Promise<ReadMail[]> {
  for (let waited = 0; waited < 30_000; waited += 100) {
    const mails = await postfix.readMails();
    if (mails.length >= count) return readMails(mails);
    await sleep(100);
  }
  assert.fail(`fewer than ${count} mails were delivered`);
}

test('postfix: mails arrive encrypted and unchanged, and its refusals are told apart', { skip }, async () => {
  const refusals = {
    'grey@example.net': '450 4.2.0 greylisted',
    'full@example.net': '552 5.2.2 mailbox full',
    'gone@example.net': '550 5.1.1 no such user',
  };
  const postfix = await startPostfix({ refusals, hasTls: true });
  after(postfix.stop);
  const api = await startTestApp();
  const env = { MAIL_URL: `smtp://localhost:${postfix.port}?tls=on`, MAIL_CA };
  const { store, createSender, rows } = await createMailClient(api, env);
  const names = ['noor', ...Object.keys(refusals).map((address) => address.split('@')[0])];
  const stored = await store(
    ...names.map((name) => ({ address: `${name}@example.net`, language: 'ar' as const })),
  );
  await createSender().run();
  const [mail, ...others] = await delivered(postfix, 1);
  assert.ok(mail);
  assert.deepEqual(others, []);
  assert.deepEqual(mail.defects, []);
  assert.deepEqual(
    mail.parts.map(({ type }) => type),
    ['text/plain', 'text/html'],
  );
  assert.equal(mail.headers.to, 'noor@example.net');
  assert.equal(mail.headers['message-id'], `<${stored[0]?.id}@example.org>`);
  assert.equal(mail.headers.subject, 'رسالة تجريبية من ⁨Potluck⁩');
  assert.match(mail.headers.received ?? '', /with ESMTPS/);
  assert.match(mail.parts[0]?.text ?? '', /^الرسائل تصل\n\n-- \nأرسل أحد مشرفي ⁨Potluck⁩/);
  const states = new Map((await rows()).map(({ id, state, reply }) => [id, `${state} ${reply}`]));
  const stateOf = (at: number) => states.get(stored[at]?.id ?? '') ?? '';
  assert.match(stateOf(0), /^sent 250 2\.0\.0 Ok: queued as /);
  assert.match(stateOf(1), /^queued 450 4\.2\.0 <grey@example\.net>: .*greylisted/);
  assert.match(stateOf(2), /^failed 552 5\.2\.2 <full@example\.net>: .*mailbox full/);
  assert.match(stateOf(3), /^failed 550 5\.1\.1 <gone@example\.net>: .*no such user/);
});

test('postfix: one without TLS gets nothing if TLS is required, and everything when it is back', {
  skip,
}, async () => {
  const postfix = await startPostfix();
  after(postfix.stop);
  const api = await startTestApp();
  const strict = await createMailClient(api, {
    MAIL_URL: `smtp://localhost:${postfix.port}?tls=on`,
    MAIL_CA,
  });
  await strict.store(...Array.from({ length: 20 }, (_, n) => ({ address: `guest${n}@example.net` })));
  await strict.createSender().run();
  assert.deepEqual(await postfix.readMails(), []);
  assert.ok((await strict.rows()).every(({ state }) => state === 'queued'));
  const plain = await createMailClient(api, { MAIL_URL: `smtp://localhost:${postfix.port}` });
  const sender = plain.createSender();
  await postfix.stop();
  api.clock.advance(120_000);
  await sender.run();
  assert.ok((await strict.rows()).every(({ state }) => state === 'queued'));
  await postfix.start();
  api.clock.advance(3_600_000);
  await sender.run();
  assert.equal((await delivered(postfix, 20)).length, 20);
});

test('postfix: the calendar parts of mails change the entry of the calendar file, and take it out', {
  skip,
}, async () => {
  const postfix = await startPostfix();
  after(postfix.stop);
  const PUBLIC_URL = 'https://events.example.org';
  const api = await startTestApp({ env: { PUBLIC_URL } });
  const mails = await createMailClient(api, { MAIL_URL: `smtp://127.0.0.1:${postfix.port}`, PUBLIC_URL });
  const { deliver } = createNewsClient(api, mails);
  const sender = mails.createSender();
  const [organizer, guest, interested] = await createUsers(api, 3);
  assert.ok(organizer && guest && interested);
  expectStatus(await api.patch('/v1/me', organizer.token, { name: 'Åsa, Öberg; "Kai"' }), 200);
  const address = "o'Neil+events@example.net";
  // Responses have no codes where PUBLIC_URL is set.
  await api.sql`update users set email = ${address} where id = ${guest.id}`;
  await api.sql`update users set email = 'interested@example.net' where id = ${interested.id}`;
  const event = await createEvent(api, organizer, {
    title: 'Glögg; på kajen, «här»',
    description: 'One\ntwo',
  });
  await rsvpGoing(api, guest, event.id);
  expectStatus(
    await api.post(`/v1/events/${event.id}/rsvp`, interested.token, { status: 'interested' }),
    200,
  );

  /** The calendar part of the mail to each reader. */
  const change = async (fields: object): Promise<Map<string, ReadCalendar>> => {
    const before = (await postfix.readMails()).length;
    expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, fields), 200);
    await deliver();
    await sender.run();
    const all = await delivered(postfix, before + 2);
    const added = all.filter(({ headers }) =>
      headers.subject?.startsWith(subjects[before === 0 ? 0 : 1] ?? ''),
    );
    return new Map(
      added.map(({ headers, parts, defects }) => {
        assert.deepEqual(defects, []);
        assert.deepEqual(
          parts.map(({ type }) => type),
          ['text/plain', 'text/html', 'text/calendar', 'application/ics'],
        );
        const part = parts.find(({ type }) => type === 'text/calendar');
        assert.ok(part);
        const calendar = readCalendar(part.text);
        assert.equal(part.method, calendar.method);
        return [headers.to ?? '', calendar];
      }),
    );
  };
  const subjects = ['The time or place has changed', 'Cancelled'];

  const changed = await change({ startAt: inDays(5), endAt: inDays(5, 3) });
  const file = ICAL.parse((await api.get(`/v1/events/${event.id}/calendar.ics`)).body);
  const ofFile = new ICAL.Component(file).getFirstSubcomponent('vevent');
  const request = changed.get(address);
  assert.ok(request);
  assert.deepEqual([request.method, request.components], ['REQUEST', ['VTIMEZONE', 'VEVENT']]);
  assert.equal(request.event.UID, ofFile?.getFirstPropertyValue('uid'));
  assert.equal(Number(request.event.SEQUENCE), ofFile?.getFirstPropertyValue('sequence'));
  assert.equal(request.event.SUMMARY, 'Glögg\\; på kajen\\, «här»');
  assert.equal(request.event.ORGANIZER, 'mailto:events@example.org');
  assert.equal(request.event.ATTENDEE, `mailto:${address}`);
  assert.deepEqual(request.attendee, { PARTSTAT: 'ACCEPTED', RSVP: 'FALSE' });
  assert.equal(changed.get('interested@example.net')?.attendee.PARTSTAT, 'TENTATIVE');

  const cancelled = (await change({ status: 'cancelled' })).get(address);
  assert.ok(cancelled);
  assert.deepEqual([cancelled.method, cancelled.event.STATUS], ['CANCEL', 'CANCELLED']);
  assert.equal(cancelled.event.UID, request.event.UID);
  assert.ok(Number(cancelled.event.SEQUENCE) > Number(request.event.SEQUENCE));
});
