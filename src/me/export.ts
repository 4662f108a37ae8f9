/** One document with everything that is held about a person. */
import type { Sql, Tx } from '../db/connect.ts';
import { transaction } from '../db/transaction.ts';
import { type Section, type Subject, sections } from './export-queries.ts';

/** Rows that are read and written out at a time, so that whoever has very many holds up nobody meanwhile. */
const atOnce = 500;

/**
 * All sections as they are at one moment. A declared fan-out, and as large as what the person left: a celebrity's
 * followers are some 100 MB.
 * @returns the JSON of `Export`; null when the account is gone
 */
export function exportAccount(
  sql: Sql,
  subject: Omit<Subject, 'phone' | 'phoneHash'>,
  now: Date,
  hashPhone: (phone: string) => Buffer,
): Promise<Buffer | null> {
  return transaction(sql, async (tx) => {
    await tx`set transaction isolation level repeatable read, read only`;
    await tx`set local statement_timeout = '30s'`;
    const [user] = await tx<{ phone: string }[]>`select phone from users where id = ${subject.id}`;
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

async function sectionBytes(tx: Tx, section: Section, me: Subject): Promise<Buffer[]> {
  const parts: Buffer[] = [];
  for await (const rows of section.rows(tx, me).cursor(atOnce)) {
    if (rows.length === 0) continue;
    const json = rows.map((row) => JSON.stringify(row)).join(',');
    parts.push(Buffer.from(parts.length > 0 ? `,${json}` : json));
  }
  return parts;
}
