/** One document with everything that is held about a person. */

import type { Database } from '../../db/client.ts';
import { raw, sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import { transaction } from '../../db/transaction.ts';
import { type Section, type Subject, sections } from './export-sections.ts';

/** Rows that are read and written out at a time, so that whoever has very many holds up nobody meanwhile. */
const rowsPerFetch = 500;

/**
 * All sections as they are at one moment. A declared fan-out, and as large as what the person left: a celebrity's
 * followers are some 100 MB.
 * @returns the JSON of `Export`; null when the account is gone
 */
export function exportAccount(
  db: Database,
  subject: Omit<Subject, 'phone' | 'phoneHash'>,
  now: Date,
  hashPhone: (phone: string) => Buffer,
): Promise<Buffer | null> {
  return transaction(db, async (tx) => {
    await tx.query(sql`set transaction isolation level repeatable read, read only`);
    await tx.query(sql`set local statement_timeout = '30s'`);
    const [user] = await tx.query<{ phone: string }>(sql`select phone from users where id = ${subject.id}`);
    if (!user) return null;
    const me = { ...subject, phone: user.phone, phoneHash: hashPhone(user.phone) };
    const parts: Buffer[] = [Buffer.from(`{"exportedAt":${JSON.stringify(now)}`)];
    for (const section of sections) {
      parts.push(Buffer.from(`,${JSON.stringify(section.name)}:[`), ...(await sectionBytes(tx, section, me)));
      parts.push(Buffer.from(']'));
    }
    parts.push(Buffer.from('}'));
    return Buffer.concat(parts);
  });
}

/** Reads through a cursor, so that a large section never delays other requests for long. */
async function sectionBytes(tx: Transaction, section: Section, me: Subject): Promise<Buffer[]> {
  const parts: Buffer[] = [];
  await tx.execute(sql`declare section no scroll cursor for ${section.rows(me)}`);
  for (;;) {
    const rows = await tx.query(fetchRows);
    if (rows.length === 0) break;
    const json = rows.map((row) => JSON.stringify(row)).join(',');
    parts.push(Buffer.from(parts.length > 0 ? `,${json}` : json));
  }
  await tx.execute(sql`close section`);
  return parts;
}

const fetchRows = raw(`fetch ${rowsPerFetch} from section`);
