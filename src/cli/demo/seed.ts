/** Writes the demo. What there is little of goes through the very queries that the API uses. */

import type { Database } from '../../db/client.ts';
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import { transaction } from '../../db/transaction.ts';
import type { Viewer } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { dayMs } from '../../lib/time.ts';
import { findOrCreateAccount } from '../../modules/auth/accounts.ts';
import { setRole } from '../../modules/auth/session-repo.ts';
import { insertEvent } from '../../modules/events/repo.ts';
import { markRead } from '../../modules/messages/repo.ts';
import { sendMessage } from '../../modules/messages/send.ts';
import { updateProfile } from '../../modules/users/own-profile.ts';
import { changeRelation } from '../../modules/users/repo.ts';
import { letters } from './letters.ts';
import { people } from './people.ts';
import { blocked, demoPlan, everybody, type Plan, type PlannedEvent } from './plan.ts';
import { insertBookings, insertClaims, insertItems, insertRsvps, insertSaves } from './queries.ts';
import type { PersonKey } from './types.ts';

export type Added = { people: number; events: number; items: number; answers: number; claims: number };

/** Any number that nothing else locks with. */
const demoLock = 7_305_116;

/**
 * All in one transaction: of two servers that start at once the second waits, and then finds the people there.
 * @returns null when they were there already
 */
export async function writeDemo(db: Database, now: Date): Promise<Added | null> {
  const plan = demoPlan(now);
  return transaction(db, async (tx) => {
    await tx.query(
      sql`select set_config('lock_timeout', '60s', true), set_config('statement_timeout', '60s', true)`,
    );
    await tx.query(sql`select pg_advisory_xact_lock(${demoLock})`);
    if (await isThere(tx)) return null;
    const viewers = await writePeople(tx, now);
    await writeEvents(tx, plan.events, viewers);
    // Before the relations: somebody was blocked after they had written.
    await writeMessages(tx, viewers, now);
    await writeRelations(tx, plan.follows, viewers);
    await tx.query(sql`analyze events`);
    const sum = (count: (event: PlannedEvent) => number) =>
      plan.events.reduce((total, event) => total + count(event), 0);
    return {
      people: everybody.length,
      events: plan.events.length,
      items: sum(({ items }) => items.length),
      answers: sum(({ rsvps }) => rsvps.length),
      claims: sum(({ claims }) => claims.length),
    };
  });
}

/** By those whom nobody signs in as: the three demo accounts may have been made, or deleted, by whoever tries them. */
async function isThere(tx: Transaction): Promise<boolean> {
  const others = everybody.filter((who) => !['alva', 'mara', 'jonas'].includes(who));
  const phones = others.map((who) => people[who].phone);
  const rows = await tx.query(sql`select 1 from phones where phone = any(${phones}::text[]) limit 1`);
  return rows.length > 0;
}

type Viewers = Record<PersonKey, Viewer>;

async function writePeople(tx: Transaction, now: Date): Promise<Viewers> {
  const viewers: [PersonKey, Viewer][] = [];
  for (const [at, who] of everybody.entries()) {
    const { phone, username, ...person } = people[who];
    const joined = new Date(now.getTime() - (200 - at * 7) * dayMs);
    const { id, isNew } = await findOrCreateAccount(tx, phone, joined);
    const role = 'role' in person ? person.role : 'user';
    if (role === 'admin') await setRole(tx, id, role);
    if (isNew) {
      const { name, bio, city } = person;
      await updateProfile(tx, id, { name, bio, city, isPrivate: 'isPrivate' in person });
      await takeUsername(tx, id, username);
    }
    viewers.push([who, { id, role }]);
  }
  return Object.fromEntries(viewers) as Viewers;
}

/** Somebody real may have the name; the generated one does as well then. */
async function takeUsername(tx: Transaction, id: string, username: string): Promise<void> {
  try {
    await updateProfile(tx, id, { username });
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'username_taken')) throw error;
  }
}

/** Sent without waiting for one another's answers: a connection runs its statements in their order anyway. */
async function writeEvents(tx: Transaction, events: PlannedEvent[], viewers: Viewers): Promise<void> {
  const written = await Promise.all(
    events.map(async ({ host, fields, createdAt, ...rest }) => {
      const eventId = await insertEvent(tx, viewers[host].id, fields, createdAt);
      return { eventId, createdAt, ...rest };
    }),
  );
  const by = <T extends { who: PersonKey }>(eventId: string, { who, ...row }: T) => ({
    eventId,
    userId: viewers[who].id,
    ...row,
  });
  await insertRsvps(
    tx,
    written.flatMap(({ eventId, rsvps }) => rsvps.map((row) => by(eventId, row))),
  );
  await insertSaves(
    tx,
    written.flatMap(({ eventId, saves }) => saves.map((row) => by(eventId, row))),
  );
  await insertItems(
    tx,
    written.flatMap(({ eventId, items, createdAt: at }) =>
      items.map((item, index) => ({ eventId, n: index + 1, item, at })),
    ),
  );
  await insertClaims(
    tx,
    written.flatMap(({ eventId, claims }) => claims.map((row) => by(eventId, row))),
  );
  await insertBookings(
    tx,
    written.flatMap(({ eventId, bookings }) => bookings.map((row) => by(eventId, row))),
  );
}

async function writeRelations(tx: Transaction, follows: Plan['follows'], viewers: Viewers): Promise<void> {
  const idOf = (who: PersonKey) => viewers[who].id;
  for (const [who, whom] of follows) {
    await changeRelation(tx, idOf(who), idOf(whom), (relation) => ({ ...relation, follows: true }));
  }
  const [who, whom] = blocked;
  const block = { follows: false, followedBy: false, blocks: true };
  await changeRelation(tx, idOf(who), idOf(whom), (relation) => ({ ...relation, ...block }));
}

async function writeMessages(tx: Transaction, viewers: Viewers, now: Date): Promise<void> {
  for (const { between, lines } of letters) {
    for (const [hoursAgo, who, text] of lines) {
      const sent = new Date(now.getTime() - hoursAgo * 3_600_000);
      const other = between[0] === who ? between[1] : between[0];
      const sides = { userId: viewers[who].id, otherId: viewers[other].id };
      await markRead(tx, sides);
      await sendMessage(tx, { ...sides, text }, { clock: () => sent, maxAMinute: 0 });
    }
  }
}
