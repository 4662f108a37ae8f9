/**
 * Exports everything that the server stores about a person, as one JSON document, all sections in one snapshot of the
 * database. Rows are read through cursors and serialized 50 at a time, so an export of any size needs little memory.
 */
import { runInTurn } from '#base';
import { type Database, type Queryable, raw, type Statement, sql, transaction } from '#pg';
import { piecesOf } from '../../../http/bodies.ts';
import type { ExportSection, ExportSubject } from '../../../http/export-section.ts';
import { type Contacts, contactsOf } from '../../../lib/contact.ts';
import { Problem } from '../../../lib/errors.ts';
import { hashContacts } from '../codes/hashes.ts';

/** The number of rows that are read and serialized at a time: about 1 ms of work. */
const rowsPerFetch = 50;
/** Above this size, in bytes, an export is not kept in memory. */
const maxSmallBytes = 1024 ** 2;
export const TOO_LARGE = Symbol('too large');

/**
 * `sections`: in the order of the document. `eventId`: only what the person does at this event; null for everything. `now`: the time
 * of the export.
 */
export type ExportRequest = {
  account: Pick<ExportSubject, 'id' | 'secretKey' | 'publicUrl'>;
  sections: ExportSection[];
  eventId: string | null;
  now: Date;
};

/** @returns the JSON of `Export`; `TOO_LARGE` above 1 MiB; null if the account does not exist */
export function readSmallExport(
  db: Database,
  request: ExportRequest,
): Promise<Buffer | typeof TOO_LARGE | null> {
  return transaction(db, async (tx) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of exportParts(tx, request)) {
      parts.push(part);
      bytes += part.length;
      if (bytes > maxSmallBytes) return TOO_LARGE;
    }
    return parts.length > 0 ? Buffer.concat(parts) : null;
  });
}

/**
 * The JSON of `Export` in pieces. The transaction lasts until the last piece is taken, or the generator returned.
 * @throws Problem `token_invalid` before the first piece if the account does not exist
 */
export async function* streamExport(db: Database, request: ExportRequest): AsyncGenerator<string | Buffer> {
  const connection = await db.checkOut();
  try {
    await connection.command(sql`begin`);
    let isEmpty = true;
    for await (const part of exportParts(connection, request)) {
      isEmpty = false;
      yield* piecesOf(part);
    }
    if (isEmpty) throw new Problem('token_invalid');
  } finally {
    // Nothing was written.
    await connection.command(sql`rollback`).then(connection.release, connection.discard);
  }
}

/** @param tx a transaction that has run no statement; no parts if the account does not exist */
async function* exportParts(
  tx: Queryable,
  { account, sections, eventId, now }: ExportRequest,
): AsyncGenerator<Buffer> {
  await tx.query(sql`set transaction isolation level repeatable read, read only`);
  await tx.query(sql`set local statement_timeout = '30s'`);
  // Between two fetches of a streamed export, the client reads; one that reads nothing loses its connection before.
  await tx.query(sql`set local idle_in_transaction_session_timeout = '60s'`);
  const [user] = await tx.query<Contacts & { isGuest: boolean }>(
    sql`select phone, email, oidc, guest_of is not null as is_guest from users where id = ${account.id}`,
  );
  if (!user) return;
  // What hangs on the contact of a guest without an account may be that of an account.
  const contacts = user.isGuest ? [] : contactsOf(user);
  const subject = { ...account, contacts, contactHashes: hashContacts(account.secretKey, contacts) };
  yield Buffer.from(`{"exportedAt":${JSON.stringify(now)}`);
  for (const section of sections) {
    yield Buffer.from(`,${JSON.stringify(section.name)}:[`);
    if (eventId === null) yield* exportRows(tx, section.rows(subject));
    else if (sectionsOfEvents.includes(section.name))
      yield* exportRows(tx, sql`select * from (${section.rows(subject)}) r where event_id = ${eventId}`);
    yield Buffer.from(']');
  }
  yield Buffer.from('}');
}

/** What a person does at events. */
const sectionsOfEvents = ['rsvps', 'requests', 'saves', 'bookings', 'claims'];

async function* exportRows(tx: Queryable, selection: Statement): AsyncGenerator<Buffer> {
  await tx.execute(sql`declare section no scroll cursor for ${selection}`);
  for (let isFirst = true; ; isFirst = false) {
    const rows = await tx.query(fetchRows);
    if (rows.length === 0) break;
    const json = await runInTurn(() => rows.map((row) => JSON.stringify(row)).join(','));
    yield Buffer.from(isFirst ? json : `,${json}`);
  }
  await tx.execute(sql`close section`);
}

const fetchRows = raw(`fetch ${rowsPerFetch} from section`);
