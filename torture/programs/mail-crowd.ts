/** An event with 100,000 guests is cancelled, and a person gets 10,000 followers: who waits for whose mails. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql as statement } from '#pg';
import { insertSelectedCauses } from '../../src/outbox/causes.ts';
import { MailServer } from '../../test/support/mail-server.ts';
import type { Environment, Person } from '../environment.ts';
import { createEvent, insertGoingRsvps } from '../factories.ts';
import type { Program } from '../program.ts';

/** Mails of others may take as long, in seconds, on a machine that delivers the crowd's at the same time. */
const maxOthers = 15;
const maxQueued = 600;

/** Fewer than take as long as the database allows a statement. */
const insertedAtOnce = 5_000;

/** Inserts accounts with addresses that go to the event. */
async function insertCrowd(environment: Environment, eventId: string, count: number): Promise<void> {
  for (let left = count; left > 0; left -= insertedAtOnce)
    await insertGuests(environment, eventId, Math.min(left, insertedAtOnce));
  await environment.sql`analyze`;
}

async function insertGuests({ sql }: Environment, eventId: string, count: number): Promise<void> {
  await sql`
    with people as (
      insert into users (id, email, name, username, bio, city, language, is_private, role, search, created_at)
      select id, id || '@example.net', 'Guest', '', '', '', 'en', false, 'user', ' guest', now()
      from (select gen_random_uuid() as id from generate_series(1, ${count})) k
      returning id
    ), counters as (
      insert into user_counters (user_id, followers_count, following_count, events_count) select id, 0, 0, 0 from people
    )
    insert into rsvps (event_id, user_id, status, created_at) select ${eventId}, id, 'going', now() from people`;
}

const giveAddress = async ({ sql }: Environment, { id }: Person): Promise<string> => {
  const address = `${id}@example.org`;
  await sql`update users set email = ${address}, language = 'en' where id = ${id}`;
  return address;
};

export const mailCrowd: Program = {
  name: 'mail-crowd',
  expectation:
    'an event with 100,000 guests who have addresses is cancelled, and a person who mails new followers gets 10,000: the mails ' +
    `of other events arrive within ${maxOthers} s meanwhile, each guest has one mail in the queue, and the person gets one`,
  async run({ size, startEnvironment, addCleanup, progress }) {
    const [guests, followers, small] = [size(100_000, 3_000), size(10_000, 500), size(12, 3)];
    const mailServer = new MailServer();
    const port = await mailServer.listen();
    addCleanup(() => mailServer.close());
    const env = {
      MAIL_URL: `smtp://127.0.0.1:${port}`,
      MAIL_FROM: 'events@example.org',
      MAIL_PER_HOUR: '10000000',
    };
    const environment = await startEnvironment({ env });
    const { sql, client } = environment;
    const [host, other, friend, star] = (await environment.people(4)) as [Person, Person, Person, Person];
    const [address, starAddress] = [
      await giveAddress(environment, friend),
      await giveAddress(environment, star),
    ];
    await sql`insert into notification_settings (user_id, kind, level) values (${star.id}, 'follower', 'mail')`;
    const crowded = await createEvent(environment, host);
    await insertCrowd(environment, crowded, guests);
    const events: string[] = [];
    for (let n = 0; n < small + 2; n++) {
      const event = await createEvent(environment, other);
      await insertGoingRsvps(environment, event, [friend]);
      events.push(event);
    }
    const cancel = async (event: string, { token }: Person): Promise<void> => {
      const { status } = await client.send('PATCH', `/v1/events/${event}`, {
        token,
        body: { status: 'cancelled' },
      });
      if (status !== 200) throw new Error(`the event was not cancelled: ${status}`);
    };
    const arrivedAt = (to: string): number => mailServer.received.filter((mail) => mail.to === to).length;
    /** Cancels a small event. @returns after how many seconds its guest has the mail */
    async function timeMail(event: string): Promise<number> {
      const [before, since] = [arrivedAt(address), performance.now()];
      await cancel(event, other);
      while (arrivedAt(address) === before && performance.now() - since < maxQueued * 1_000) await sleep(50);
      return (performance.now() - since) / 1_000;
    }
    const alone = Math.max(
      ...(await Promise.all(events.splice(0, 1).map(timeMail))),
      await timeMail(events.pop() ?? ''),
    );
    const since = performance.now();
    const seconds = () => (performance.now() - since) / 1_000;
    const countQueued = async (): Promise<number> => {
      const [row] = await sql<{ count: number }[]>`
        select count(distinct user_id)::int as count from mails where subject_id = ${crowded}`;
      return row?.count ?? 0;
    };
    await cancel(crowded, host);
    await sql.execute(
      insertSelectedCauses(statement`
        select gen_random_uuid(), ${star.id}::uuid, 'follower', id, id, 1 from users where email like '%@example.net'
        limit ${followers}`),
    );
    let [queued, firstThousand] = [0, 0];
    let others = 0;
    const measuring = (async () => {
      for (const event of events) others = Math.max(others, await timeMail(event));
    })();
    for (; queued < guests && seconds() < maxQueued; await sleep(200)) {
      queued = await countQueued();
      if (queued >= 1_000) firstThousand ||= seconds();
      progress(`${queued} of ${guests} mails stored`);
    }
    const all = seconds();
    await measuring;
    for (let waited = 0; arrivedAt(starAddress) === 0 && waited < 60; waited++) await sleep(1_000);
    const [{ causes = 0 } = {}] = await sql<{ causes: number }[]>`
      select count(*)::int as causes from notification_causes where user_id = ${star.id}`;
    const starMails = arrivedAt(starAddress);
    return {
      result:
        `${queued} of ${guests} mails stored, the first 1,000 after ${firstThousand.toFixed(1)} s and all after ` +
        `${all.toFixed(1)} s; ${small} mails of other events arrived within ${others.toFixed(1)} s meanwhile (alone: ` +
        `${alone.toFixed(1)} s); ${starMails} mail about ${followers} followers, ${causes} of them not delivered yet`,
      ok: queued === guests && others < maxOthers && starMails === 1,
    };
  },
};
