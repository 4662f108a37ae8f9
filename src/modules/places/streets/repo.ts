/** The answers of the geocoder, for all servers, and whose turn it is to ask it. */
import { dayMs } from '#base';
import { type Database, sql } from '#pg';
import type { Street } from './dialects.ts';

const keptMs = 30 * dayMs;
/** The key of the row that has the time of the latest request. Others are hashes. */
const turnKey = Buffer.alloc(0);

export async function findAnswer(db: Database, key: Buffer, now: Date): Promise<Street[] | null> {
  const [row] = await db.query<{ streets: Street[] }>(sql`
    select streets from geocoder_answers
    where key = ${key} and streets is not null and at > ${new Date(now.getTime() - keptMs)}`);
  return row?.streets ?? null;
}

export const storeAnswer = (db: Database, key: Buffer, streets: Street[], now: Date): Promise<unknown> =>
  db.query(sql`
    insert into geocoder_answers (key, streets, at) values (${key}, ${JSON.stringify(streets)}::jsonb, ${now})
    on conflict (key) do update set streets = excluded.streets, at = excluded.at`);

/**
 * Takes the next second in which no server asks. Right under concurrency: each statement waits for the lock of the one row, and
 * sees the time that the one before has stored.
 * @returns the ms until it; null if those of the next seconds are taken
 */
export async function takeTurn(db: Database, maxWaitMs: number): Promise<number | null> {
  const [row] = await db.query<{ waitMs: number }>(sql`
    insert into geocoder_answers as turn (key, at) values (${turnKey}, clock_timestamp())
    on conflict (key) do update set at = greatest(clock_timestamp(), turn.at + interval '1 second')
    where turn.at + interval '1 second' <= clock_timestamp() + ${maxWaitMs} * interval '1 millisecond'
    returning greatest(0, extract(epoch from at - clock_timestamp()) * 1000)::float8 as wait_ms`);
  return row?.waitMs ?? null;
}

export const deleteOldAnswers = (db: Database, now: Date): Promise<unknown> =>
  db.query(sql`
    delete from geocoder_answers where streets is not null and at <= ${new Date(now.getTime() - keptMs)}`);
