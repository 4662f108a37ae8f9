/** Addresses that a mail server has refused for good. Only codes are sent to them, until their owner confirms them. */
import { type Queryable, sql } from '#pg';

/** @param addressHash `hashAddress` (lib/mail-address.ts) */
export async function isSuppressed(db: Queryable, addressHash: Buffer): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 as found from suppressed_addresses where address_hash = ${addressHash}`);
  return rows.length > 0;
}

export async function suppressAddress(db: Queryable, addressHash: Buffer, now: Date): Promise<void> {
  await db.execute(sql`
    insert into suppressed_addresses (address_hash, since) values (${addressHash}, ${now})
    on conflict (address_hash) do nothing`);
}

/** Sends mails to an address again. To be called when its owner has confirmed it. */
export async function releaseAddress(db: Queryable, addressHash: Buffer): Promise<void> {
  await db.execute(sql`delete from suppressed_addresses where address_hash = ${addressHash}`);
}
