/**
 * Feature flags. They are evaluated through OpenFeature, so that another provider can replace this one. A
 * flag has the default of the configuration, until an admin switches it at run time (table `flags`). Every
 * server reads the table about twice a second: evaluating a flag needs no query, and a change takes effect on
 * all servers within a second.
 */

import {
  OpenFeature,
  type Provider,
  type ResolutionDetails,
  StandardResolutionReasons,
  TypeMismatchError,
} from '@openfeature/server-sdk';
import type { Database } from '../db/client.ts';
import { one, type Queryable } from '../db/query.ts';
import { sql } from '../db/sql.ts';
import type { Config } from '../lib/config.ts';
import { Problem } from '../lib/errors.ts';

/**
 * The flags, and the feature that each switches. Undoing earlier actions, such as cancelling a booking, stays
 * possible.
 */
export const flagTable = {
  bookings: 'Booking seats, and waiting for them.',
  claims: 'Claiming items.',
  messages: 'Sending messages.',
  signUps: 'The first sign-in of a phone, which makes an account.',
  uploads: 'Uploading images.',
} as const;
export type FlagName = keyof typeof flagTable;
export const flagNames = Object.keys(flagTable) as FlagName[];

export type Flags = {
  isOn(name: FlagName): Promise<boolean>;
  /** @throws Problem `feature_disabled` if the flag is off */
  require(name: FlagName): Promise<void>;
  /** Reads the flags from the database. */
  refresh(): Promise<void>;
  /** Ends the periodic refresh. */
  close(): void;
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
 * @returns whether the value changed
 */
export async function setFlag(
  db: Queryable,
  name: FlagName,
  enabled: boolean,
  defaultValue: boolean,
  now: Date,
): Promise<boolean> {
  // The statement locks the row, or inserts it, before it reads the value: of two concurrent changes, one is
  // a change.
  const row = one(
    await db.query<{ enabled: boolean }>(sql`
    insert into flags (name, enabled, changed_at) values (${name}, ${defaultValue}, ${now})
    on conflict (name) do update set enabled = flags.enabled returning enabled`),
  );
  if (row.enabled === enabled) return false;
  await db.query(sql`update flags set enabled = ${enabled}, changed_at = ${now} where name = ${name}`);
  return true;
}

/** The values of flags that no admin has switched. */
export const defaultsOf = ({ claimsEnabled }: Config): Record<FlagName, boolean> => ({
  bookings: true,
  claims: claimsEnabled,
  messages: true,
  signUps: true,
  uploads: true,
});

const refreshIntervalMs = 400;
const retryIntervalMs = 1_000;
/** Maximum time that a starting server waits for the flags. Without them, it starts with the defaults. */
const firstRefreshTimeoutMs = 2_000;

/**
 * @param domain the OpenFeature domain; unique for each app, so that two apps in a process have flags of
 *   their own
 */
export async function openFlags(db: Database, config: Config, domain: string): Promise<Flags> {
  const defaults = defaultsOf(config);
  const provider = new TableProvider(defaults);
  const refresh = createRefresh(db, defaults, provider);
  const close = await startPeriodicRefresh(refresh);
  await OpenFeature.setProviderAndWait(domain, provider);
  const client = OpenFeature.getClient(domain);
  const isOn = (name: FlagName) => client.getBooleanValue(name, defaults[name]);
  return {
    isOn,
    async require(name) {
      if (!(await isOn(name))) throw new Problem('feature_disabled');
    },
    refresh,
    close,
  };
}

/**
 * Returns a function that reads the flags into `provider`. It ignores a result that arrives after a newer
 * one.
 */
function createRefresh(db: Database, defaults: Record<FlagName, boolean>, provider: TableProvider) {
  let lastStarted = 0;
  let lastApplied = 0;
  return async (): Promise<void> => {
    const sequence = ++lastStarted;
    const rows = await listFlags(db);
    if (sequence < lastApplied) return;
    lastApplied = sequence;
    const switched = Object.fromEntries(rows.map(({ name, enabled }) => [name, enabled]));
    provider.values = { ...defaults, ...switched };
  };
}

/**
 * Runs `refresh` periodically. After a failure, the last known values stay in effect.
 * @returns a function that ends the refresh, after the first run or `firstRefreshTimeoutMs`
 */
async function startPeriodicRefresh(refresh: () => Promise<void>): Promise<() => void> {
  let isOpen = true;
  let timer: NodeJS.Timeout | undefined;
  const run = async () => {
    const intervalMs = await refresh().then(
      () => refreshIntervalMs,
      () => retryIntervalMs,
    );
    if (isOpen) timer = setTimeout(run, intervalMs).unref();
  };
  await Promise.race([run(), new Promise((resolve) => setTimeout(resolve, firstRefreshTimeoutMs).unref())]);
  return () => {
    isOpen = false;
    clearTimeout(timer);
  };
}

/** Evaluates flags from memory. All flags are boolean. */
class TableProvider implements Provider {
  readonly metadata = { name: 'Potluck' };
  readonly runsOn = 'server';
  values: Record<string, boolean>;

  constructor(values: Record<string, boolean>) {
    this.values = values;
  }

  async resolveBooleanEvaluation(name: string, defaultValue: boolean): Promise<ResolutionDetails<boolean>> {
    return { value: this.values[name] ?? defaultValue, reason: StandardResolutionReasons.CACHED };
  }
  resolveStringEvaluation = refuseType;
  resolveNumberEvaluation = refuseType;
  resolveObjectEvaluation = refuseType;
}

async function refuseType(): Promise<never> {
  throw new TypeMismatchError('all flags are boolean');
}
