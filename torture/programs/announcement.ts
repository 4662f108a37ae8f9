/** An announcement to an event with many guests, while servers are killed: who gets it, and who waits. */
import { setTimeout as sleep } from 'node:timers/promises';
import { MailServer } from '../../test/support/mail-server.ts';
import type { Environment, Person } from '../environment.ts';
import { createEvent, insertGoingRsvps } from '../factories.ts';
import type { Program } from '../program.ts';
import { openPushStub, subscribeAll } from '../push-stub.ts';

/** Of the request, and of a notification of another cause while the guests are notified. */
const [maxRequestMs, maxNotificationMs] = [1_000, 5_000];
const maxWaitSeconds = 600;
/** What a server sends at the same time, and has taken out of the table before. */
const pushesAtOnce = 20;
/** Fewer than take as long as the database allows a statement. */
const insertedAtOnce = 5_000;

export const announcement: Program = {
  name: 'announcement',
  expectation:
    'an announcement to 100,000 guests, 10,000 of whom get a mail and 2,000 a push, over two servers, which are killed six times ' +
    'once the first guests are notified: the request takes less than 1 s, the notification of a message less than 5 s meanwhile, each ' +
    'guest has it once in the inbox, no browser gets two pushes, and each mail arrives; second copies exist only of mails that were ' +
    'being sent, and pushes are missing only where a server was killed while it sent them',
  async run({ size, startEnvironment, addCleanup, progress }) {
    const [guests, mailed, kills] = [size(100_000, 3_000), size(10_000, 500), size(6, 2)];
    const pushed = size(2_000, 300);
    const mailServer = new MailServer();
    const port = await mailServer.listen();
    addCleanup(() => mailServer.close());
    const mail = { MAIL_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'events@example.org' };
    const pushes = await openPushStub();
    addCleanup(async () => pushes.close());
    const environment = await startEnvironment({
      env: { ...mail, ...pushes.env, MAIL_PER_HOUR: '10000000' },
    });
    const { sql, client } = environment;
    const [organizer, writer, reader] = (await environment.people(3)) as [Person, Person, Person];
    const event = await createEvent(environment, organizer);
    await insertCrowd(environment, event, guests - pushed, mailed);
    const withBrowsers = await environment.people(pushed);
    await insertGoingRsvps(environment, event, withBrowsers);
    await subscribeAll(environment, withBrowsers);
    const { status, body, ms } = await client.send('POST', `/v1/events/${event}/announcements`, {
      token: organizer.token,
      body: { text: 'Bring slippers!' },
    });
    if (status !== 201) throw new Error(`not announced: ${status} ${JSON.stringify(body)}`);
    const since = performance.now();
    const notificationMs = await timeMessage(environment, writer, reader);
    const countNotified = async () => {
      const [row] = await sql<[{ people: number; sum: number }]>`
        select count(distinct user_id)::int as people, coalesce(sum(count), 0)::int as sum
        from notifications where subject_id = ${event} and kind = 'announcement'`;
      return row;
    };
    for (let kill = 0; kill < kills; kill++) {
      await sleep(1_000);
      progress(`${kill} of ${kills} servers killed`);
      await environment.replace(kill % 2);
    }
    let notified = await countNotified();
    let waiting = pushed;
    const isDone = () => notified.people >= guests && arrivedOf(mailServer).size >= mailed && waiting === 0;
    for (; !isDone() && performance.now() - since < maxWaitSeconds * 1_000; await sleep(500)) {
      notified = await countNotified();
      waiting = await countWaiting(environment);
      progress(`${notified.people} of ${guests} notified, ${arrivedOf(mailServer).size} of ${mailed} mails`);
    }
    const seconds = (performance.now() - since) / 1_000;
    // Mails whose outcome a killed server did not store are sent again when their lease is over.
    const copies = mailServer.received.length - arrivedOf(mailServer).size;
    const attempts = await sql<
      { resent: number }[]
    >`select count(*)::int as resent from mails where subject_id = ${event} and attempts > 1`;
    const resent = attempts[0]?.resent ?? 0;
    const twice = [...pushes.received.values()].filter((number) => number > 1).length;
    const lost = pushed - pushes.received.size;
    return {
      result:
        `the request took ${Math.round(ms)} ms for ${body.recipients} recipients, the notification of a message ` +
        `${Math.round(notificationMs)} ms; ${notified.people} of ${guests} notified, ${notified.sum - notified.people} twice; ` +
        `${arrivedOf(mailServer).size} of ${mailed} mails arrived, ${copies} second copies, ${resent} sent again; ` +
        `${pushes.received.size} of ${pushed} browsers got a push, ${twice} more than one; ` +
        `${kills} servers killed, all after ${seconds.toFixed(0)} s`,
      ok:
        ms < maxRequestMs &&
        notificationMs < maxNotificationMs &&
        body.recipients === guests &&
        notified.people === guests &&
        notified.sum === guests &&
        arrivedOf(mailServer).size === mailed &&
        copies <= resent &&
        twice === 0 &&
        lost <= kills * pushesAtOnce,
    };
  },
};

async function countWaiting({ sql }: Environment): Promise<number> {
  const [row] = await sql<[{ number: number }]>`select count(*)::int as number from push_deliveries`;
  return row.number;
}

const arrivedOf = ({ received }: MailServer): Set<string> => new Set(received.map(({ to }) => to));

/** Inserts accounts that go to the event; the first of them have an address, and mails for announcements. */
async function insertCrowd(
  { sql }: Environment,
  event: string,
  count: number,
  mailed: number,
): Promise<void> {
  for (let from = 0; from < count; from += insertedAtOnce)
    await sql`
      with people as (
        insert into users (id, phone, email, name, username, bio, city, language, is_private, role, search, created_at)
        select id, case when n > ${mailed} then '' end, case when n <= ${mailed} then id || '@example.net' end,
          'Guest', '', '', '', 'en', false, 'user', ' guest', now()
        from (select gen_random_uuid() as id, n
          from generate_series(${from + 1}::int, ${Math.min(count, from + insertedAtOnce)}::int) n) k
        returning id
      ), counters as (
        insert into user_counters (user_id, followers_count, following_count, events_count) select id, 0, 0, 0 from people
      )
      insert into rsvps (event_id, user_id, status, created_at) select ${event}, id, 'going', now() from people`;
  await sql`analyze`;
}

/** Sends a message. @returns the ms until its recipient has the notification */
async function timeMessage({ client }: Environment, from: Person, to: Person): Promise<number> {
  const since = performance.now();
  const { status } = await client.send('POST', `/v1/users/${to.id}/messages`, {
    token: from.token,
    body: { text: 'Are you coming?' },
  });
  if (status !== 201) throw new Error(`the message was not sent: ${status}`);
  for (;;) {
    const { body } = await client.send('GET', '/v1/notifications', { token: to.token });
    const ms = performance.now() - since;
    if (body.data?.length > 0 || ms > 60_000) return ms;
    await sleep(50);
  }
}
