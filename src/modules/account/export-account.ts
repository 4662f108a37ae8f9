/** Exports everything that the server stores about a person, as one JSON document. */
import type { Database } from '../../db/client.ts';
import { raw, sql } from '../../db/sql.ts';
import { type Transaction, transaction } from '../../db/transaction.ts';
import type { ExportSection, ExportSubject } from '../../http/export-section.ts';
import { type Contacts, contactsOf } from '../../lib/contact.ts';
import { runInTurn } from '../../lib/map-in-turns.ts';
import { hashContacts } from '../auth/code-hashes.ts';

/** The number of rows that are read and serialized at a time: about 1 ms of work. */
const rowsPerFetch = 50;

type ExportedAccount = Pick<ExportSubject, 'id' | 'secretKey' | 'publicUrl'>;

/**
 * Exports all sections in one snapshot of the database. The size depends on the person: the followers of a
 * celebrity take about 100 MB.
 * @returns the JSON of `Export`; null if the account does not exist
 */
export function exportAccount(
  db: Database,
  sections: ExportSection[],
  account: ExportedAccount,
  now: Date,
): Promise<Buffer | null> {
  return transaction(db, async (tx) => {
    await tx.query(sql`set transaction isolation level repeatable read, read only`);
    await tx.query(sql`set local statement_timeout = '30s'`);
    const [user] = await tx.query<Contacts>(
      sql`select phone, email, oidc from users where id = ${account.id}`,
    );
    if (!user) return null;
    const contacts = contactsOf(user);
    const contactHashes = hashContacts(account.secretKey, contacts);
    const subject = { ...account, contacts, contactHashes };
    const parts: Buffer[] = [Buffer.from(`{"exportedAt":${JSON.stringify(now)}`)];
    for (const section of sections) {
      parts.push(Buffer.from(`,${JSON.stringify(section.name)}:[`));
      parts.push(...(await exportRows(tx, section, subject)), Buffer.from(']'));
    }
    parts.push(Buffer.from('}'));
    return Buffer.concat(parts);
  });
}

/** Reads through a cursor, so that a large section never delays other requests for long. */
async function exportRows(
  tx: Transaction,
  section: ExportSection,
  subject: ExportSubject,
): Promise<Buffer[]> {
  const parts: Buffer[] = [];
  await tx.execute(sql`declare section no scroll cursor for ${section.rows(subject)}`);
  for (;;) {
    const rows = await tx.query(fetchRows);
    if (rows.length === 0) break;
    const json = await runInTurn(() => rows.map((row) => JSON.stringify(row)).join(','));
    parts.push(Buffer.from(parts.length > 0 ? `,${json}` : json));
  }
  await tx.execute(sql`close section`);
  return parts;
}

const fetchRows = raw(`fetch ${rowsPerFetch} from section`);
