/** What migrations do that SQL cannot. It runs after the statements of the migration, in its transaction. */
import { inChunks } from '#base';
import { type Queryable, sql } from '#pg';
import { canonicalAddress } from '../lib/mail-address.ts';
import { searchKey, withPlainApostrophes } from '../lib/search-key.ts';

/** By the number of the migration. */
export const migrationCode: Record<number, (db: Queryable) => Promise<void>> = {
  5: canonicalizeAddresses,
  9: encodeSearchTexts,
};

type Row = { contact: string; userId: string };

/**
 * Gives addresses with letters beyond ASCII the form of `canonicalAddress`. Of two accounts whose addresses were two spellings of
 * one mailbox, the one whose spelling is that form signs in with it, otherwise the one that comes first. The other account keeps its
 * data, sessions and further contacts. What is stored by keyed hashes of the former spelling expires: codes and tries in a day, known
 * networks in 400 days.
 */
async function canonicalizeAddresses(db: Queryable): Promise<void> {
  // A contact with a space is an identity.
  const rows = await db.query<Row>(sql`
    select contact, user_id from contacts
    where octet_length(contact) <> char_length(contact) and contact like '%@%' and contact not like '% %'
    order by contact`);
  const changed = rows.flatMap(({ contact, userId }) => {
    const address = canonicalAddress(contact);
    return address === null || address === contact ? [] : [{ contact, address, userId }];
  });
  if (changed.length === 0) return;
  const [contacts, addresses, ids] = [
    changed.map(({ contact }) => contact),
    changed.map(({ address }) => address),
    changed.map(({ userId }) => userId),
  ];
  await db.execute(sql`
    insert into contacts (contact, user_id)
    select a.address, a.id from unnest(${addresses}::text[], ${ids}::uuid[]) a (address, id)
    on conflict do nothing`);
  await db.execute(sql`delete from contacts where contact = any(${contacts}::text[])`);
  await db.execute(sql`
    update users u set email = a.address, version = u.version + 1
    from unnest(${addresses}::text[], ${ids}::uuid[]) a (address, id) where u.id = a.id`);
}

/**
 * Gives the search texts of names beyond ASCII the form of `searchKey`. A name that a server of the last release writes
 * later is found by its letters beyond ASCII after the next change of the profile.
 */
async function encodeSearchTexts(db: Queryable): Promise<void> {
  const rows = await db.query<{ id: string; search: string }>(sql`
    select id, search from users where octet_length(search) <> char_length(search)`);
  for (const some of inChunks(rows)) {
    const [ids, texts] = [
      some.map(({ id }) => id),
      some.map(({ search }) => searchKey(withPlainApostrophes(search))),
    ];
    await db.execute(sql`
      update users u set search = t.search
      from unnest(${ids}::uuid[], ${texts}::text[]) t (id, search) where u.id = t.id`);
  }
}
