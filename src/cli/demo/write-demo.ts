/** Writes the demo into the database: small tables through the queries of the API, large ones in bulk. */
import { dayMs } from '#base';
import { type Database, sql, type Transaction, transaction } from '#pg';
import { demoPhones } from '../../lib/demo-phones.ts';
import { Problem } from '../../lib/errors.ts';
import { findOrCreateAccount } from '../../modules/accounts/accounts.ts';
import { updateProfile } from '../../modules/accounts/profile/repo.ts';
import { setRole } from '../../modules/accounts/sessions/repo.ts';
import { insertEvent } from '../../modules/events/insert-events.ts';
import { insertItems, toItemValues } from '../../modules/items/repo.ts';
import { markRead } from '../../modules/messages/repo.ts';
import { sendMessage } from '../../modules/messages/send.ts';
import { changeRelation } from '../../modules/people/repo.ts';
import { AdvisoryLock } from '../../schema/locks.ts';
import { demoData, type Pair, type PersonKey, personKeys } from './data.ts';
import { insertRows } from './insert-rows.ts';
import { type PlannedEvent, planDemo } from './plan.ts';

type DemoCounts = { people: number; events: number; items: number; rsvps: number; claims: number };

/**
 * Writes all rows in one transaction. If two servers start together, the second one waits for the first.
 * @returns null if the demo people exist already; the database is unchanged then
 */
export async function writeDemo(db: Database): Promise<DemoCounts | null> {
  const now = new Date();
  const { events, follows } = planDemo(now);
  return transaction(db, async (tx) => {
    await tx.query(
      sql`select set_config('lock_timeout', '60s', true), set_config('statement_timeout', '60s', true)`,
    );
    await tx.query(sql`select pg_advisory_xact_lock(${AdvisoryLock.demo})`);
    if (await demoExists(tx)) return null;
    const userIds = await writePeople(tx, now);
    await writeEvents(tx, events, userIds, now);
    // Messages come before relations, because a block prevents messages.
    await writeMessages(tx, userIds, now);
    await writeRelations(tx, follows, userIds);
    await tx.query(sql`analyze events`);
    const count = (list: 'items' | 'rsvps' | 'claims') =>
      events.reduce((total, event) => total + event[list].length, 0);
    return {
      people: personKeys.length,
      events: events.length,
      items: count('items'),
      rsvps: count('rsvps'),
      claims: count('claims'),
    };
  });
}

/** Ignores the accounts of `demoPhones`: operators may create or delete these before the demo is written. */
async function demoExists(tx: Transaction): Promise<boolean> {
  const phones = Object.values(demoData.people)
    .map(({ phone }) => phone)
    .filter((phone) => !demoPhones.some((account) => account.phone === phone));
  const rows = await tx.query(sql`select 1 from contacts where contact = any(${phones}::text[]) limit 1`);
  return rows.length > 0;
}

type UserIds = Record<PersonKey, string>;

async function writePeople(tx: Transaction, now: Date): Promise<UserIds> {
  const userIds: [PersonKey, string][] = [];
  for (const [index, key] of personKeys.entries()) {
    const { phone, username, name, bio, city, role = 'user', isPrivate = false } = demoData.people[key];
    const joinedAt = new Date(now.getTime() - 200 * (1 - index / personKeys.length) ** 2 * dayMs);
    const { id, isNew } = await findOrCreateAccount(tx, { kind: 'phone', value: phone }, joinedAt);
    if (role === 'admin') await setRole(tx, id, role);
    if (isNew) {
      await updateProfile(tx, id, { name, bio, city, isPrivate });
      await setUsernameIfFree(tx, id, username);
    }
    userIds.push([key, id]);
  }
  return Object.fromEntries(userIds) as UserIds;
}

/** Keeps the generated username if another account has `username`. */
async function setUsernameIfFree(tx: Transaction, id: string, username: string): Promise<void> {
  try {
    await updateProfile(tx, id, { username });
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'username_taken')) throw error;
  }
}

async function writeEvents(
  tx: Transaction,
  events: PlannedEvent[],
  userIds: UserIds,
  now: Date,
): Promise<void> {
  // The connection sends these statements without waiting for each other's results, and runs them in order.
  const inserted = await Promise.all(
    events.map(async (event) => {
      const { organizer, fields, items, createdAt } = event;
      const id = await insertEvent(tx, userIds[organizer], fields, createdAt, {
        isAnnounced: true,
        async insertDetails(eventId) {
          await insertItems(tx, eventId, items.map(toItemValues), createdAt);
        },
      });
      return { ...event, id };
    }),
  );
  await insertRows(tx, inserted, (person) => userIds[person], now);
}

async function writeRelations(tx: Transaction, follows: Pair[], userIds: UserIds): Promise<void> {
  for (const { from, to } of follows) {
    await changeRelation(tx, userIds[from], userIds[to], (row) => ({ ...row, follows: true }));
  }
  const block = { follows: false, followedBy: false, blocks: true };
  for (const { from, to } of demoData.relations.blocks) {
    await changeRelation(tx, userIds[from], userIds[to], (row) => ({ ...row, ...block }));
  }
}

async function writeMessages(tx: Transaction, userIds: UserIds, now: Date): Promise<void> {
  const inOrder = demoData.messages.toSorted((a, b) => b.hoursAgo - a.hoursAgo);
  for (const { hoursAgo, from, to, text } of inOrder) {
    const sentAt = new Date(now.getTime() - hoursAgo * 3_600_000);
    const participants = { userId: userIds[from], otherId: userIds[to] };
    await markRead(tx, participants);
    await sendMessage(
      tx,
      { ...participants, text, eventId: null },
      { clock: () => sentAt, limits: { perMinute: 0, perDay: 0 } },
    );
  }
}
