/**
 * Feature flags. A flag has the default of the configuration, until an admin switches it at run time (table `flags`). A
 * switch is in the change log, which each evaluation reads: it takes effect on every server from the response to it on.
 */
import { type ChangeLog, recordValueChange, watchValue } from '#fresh-records';
import { type Database, one, type Queryable, sql, type Transaction } from '#pg';
import type { Config } from '../config/config.ts';
import { Problem } from '../lib/errors.ts';

/**
 * The flags, and the feature that each switches. Undoing earlier actions, such as cancelling a booking, stays
 * possible.
 */
export const flagTable = {
  bookings: 'Booking seats, and waiting for them.',
  claims: 'Claiming items.',
  guestRsvp: 'Answering without an account.',
  messages: 'Sending messages.',
  signUps: 'The first sign-in of a phone, which makes an account.',
  uploads: 'Uploading images.',
} as const;
export type FlagName = keyof typeof flagTable;
export const flagNames = Object.keys(flagTable) as FlagName[];

export type Flags = {
  /** Reads the change log first. @throws as a query of the database */
  isOn(name: FlagName): Promise<boolean>;
  /** Reads the flag in the round trip of other statements. @throws as a query of the database */
  isOnIn(tx: Transaction, name: FlagName): Promise<boolean>;
  /** @throws Problem `feature_disabled` if the flag is off; as a query of the database */
  require(name: FlagName): Promise<void>;
};

export type FlagRow = { name: FlagName; enabled: boolean; changedAt: Date };

/** Returns the flags that an admin has switched. */
export async function listFlags(db: Queryable): Promise<FlagRow[]> {
  return await db.query<FlagRow>(sql`
    select name, enabled, changed_at from flags where name = any(${flagNames}::text[]) order by name`);
}

/**
 * Switches a flag.
 * @param defaultValue the value of a flag that no admin has switched
 * @returns the flag, and whether its value changed
 */
export async function setFlag(
  db: Queryable,
  name: FlagName,
  enabled: boolean,
  defaultValue: boolean,
  now: Date,
): Promise<{ row: FlagRow; isChanged: boolean }> {
  // The statement locks the row, or inserts it, before it reads the value: of two concurrent changes, one is
  // a change.
  const row = one(
    await db.query<FlagRow>(sql`
    insert into flags (name, enabled, changed_at) values (${name}, ${defaultValue}, ${now})
    on conflict (name) do update set enabled = flags.enabled returning name, enabled, changed_at`),
  );
  if (row.enabled === enabled) return { row, isChanged: false };
  await db.query(sql`update flags set enabled = ${enabled}, changed_at = ${now} where name = ${name}`);
  return { row: { name, enabled, changedAt: now }, isChanged: true };
}

const flagsKey = 'flags';

/** Records that flags were switched, as the last statement of a transaction. */
export const recordFlagChange = (tx: Transaction): Promise<void> => recordValueChange(tx, flagsKey);

/** The values of flags that no admin has switched. */
export const defaultsOf = ({ claimsEnabled }: Config): FlagValues => ({
  bookings: true,
  claims: claimsEnabled,
  guestRsvp: true,
  messages: true,
  signUps: true,
  uploads: true,
});

export function openFlags({ db, changeLog }: { db: Database; changeLog: ChangeLog }, config: Config): Flags {
  const defaults = defaultsOf(config);
  const read = async (): Promise<FlagValues> => {
    const rows = await listFlags(db);
    return { ...defaults, ...Object.fromEntries(rows.map(({ name, enabled }) => [name, enabled])) };
  };
  const values = watchValue(changeLog, flagsKey, read);
  const isOn = async (name: FlagName) => (await values.get())[name];
  return {
    isOn,
    async isOnIn(tx, name) {
      const [row] = await tx.query<{ enabled: boolean }>(sql`select enabled from flags where name = ${name}`);
      return row?.enabled ?? defaults[name];
    },
    async require(name) {
      if (!(await isOn(name))) throw new Problem('feature_disabled');
    },
  };
}

type FlagValues = Record<FlagName, boolean>;
