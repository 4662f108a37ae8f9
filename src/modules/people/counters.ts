/** What is counted about each person: followers, people whom the person follows, and events. */
import { sql, type Transaction } from '#pg';

/** To be called in the transaction that creates the account. */
export async function insertCounters(tx: Transaction, userId: string): Promise<void> {
  await tx.query(sql`
    insert into user_counters (user_id, followers_count, following_count, events_count) values (${userId}, 0, 0, 0)`);
}

/** Changes the number of listed events that a person organizes. */
export async function addToEventsCount(tx: Transaction, userId: string, by: number): Promise<void> {
  if (by === 0) return;
  await tx.query(sql`update user_counters set events_count = events_count + ${by} where user_id = ${userId}`);
}
