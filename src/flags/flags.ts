/**
 * Feature flags, asked through OpenFeature so that another provider can take the place of ours: the configuration, and
 * over it what admins switch at run time (table `flags`), which every server reads anew twice a second. So asking costs
 * nothing, and what was switched holds on all servers within a second.
 */

import {
  OpenFeature,
  type Provider,
  type ResolutionDetails,
  StandardResolutionReasons,
  TypeMismatchError,
} from '@openfeature/server-sdk';
import type { Database } from '../db/client.ts';
import type { Queryable } from '../db/query.ts';
import { one } from '../db/query.ts';
import { sql } from '../db/sql.ts';
import type { Config } from '../lib/config.ts';
import { Problem } from '../lib/errors.ts';

/** What can be switched off, and what that ends. Whatever takes something back stays possible. */
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
  /** @throws Problem `feature_disabled` for what is switched off */
  require(name: FlagName): Promise<void>;
  /** As the database has them now. */
  refresh(): Promise<void>;
  close(): void;
};

export type FlagRow = { name: FlagName; enabled: boolean; changedAt: Date };

/** Those that were switched at run time. */
export async function listFlags(db: Queryable): Promise<FlagRow[]> {
  return await db.query<FlagRow>(sql`
    select name, enabled, changed_at from flags where name = any(${flagNames}::text[]) order by name`);
}

/** True when it was otherwise before, given what it is when nobody has switched it. */
export async function setFlag(
  db: Queryable,
  name: FlagName,
  enabled: boolean,
  otherwise: boolean,
  now: Date,
): Promise<boolean> {
  // The row is made or locked before what it said is read: of two who switch at once, one switches.
  const row = one(
    await db.query<{ enabled: boolean }>(sql`
    insert into flags (name, enabled, changed_at) values (${name}, ${otherwise}, ${now})
    on conflict (name) do update set enabled = flags.enabled returning enabled`),
  );
  if (row.enabled === enabled) return false;
  await db.query(sql`update flags set enabled = ${enabled}, changed_at = ${now} where name = ${name}`);
  return true;
}

export const defaultsOf = ({ claimsEnabled }: Config): Record<FlagName, boolean> => ({
  bookings: true,
  claims: claimsEnabled,
  messages: true,
  signUps: true,
  uploads: true,
});

const refreshMs = 400;
/** While the database is away there is nothing to hurry for. */
const awayMs = 1_000;
/** A server that starts while the database is away does not wait longer for it; until it is back the defaults hold. */
const firstMs = 2_000;

/** Each app has a domain of its own: two in one process do not switch each other's flags. */
export async function openFlags(db: Database, config: Config, domain: string): Promise<Flags> {
  const defaults = defaultsOf(config);
  const provider = new TableProvider(defaults);
  let [asked, known] = [0, 0];
  const refresh = async () => {
    const turn = ++asked;
    const rows = await listFlags(db);
    // An answer that was overtaken by a later one is older than that.
    if (turn < known) return;
    known = turn;
    provider.values = {
      ...defaults,
      ...Object.fromEntries(rows.map(({ name, enabled }) => [name, enabled])),
    };
  };
  let isOpen = true;
  let timer: NodeJS.Timeout | undefined;
  const keepFresh = async () => {
    const wait = await refresh().then(
      () => refreshMs,
      // What was last known holds.
      () => awayMs,
    );
    if (isOpen) timer = setTimeout(keepFresh, wait).unref();
  };
  await Promise.race([keepFresh(), new Promise((resolve) => setTimeout(resolve, firstMs).unref())]);
  await OpenFeature.setProviderAndWait(domain, provider);
  const client = OpenFeature.getClient(domain);
  const isOn = (name: FlagName) => client.getBooleanValue(name, defaults[name]);
  return {
    isOn,
    async require(name) {
      if (!(await isOn(name))) throw new Problem('feature_disabled');
    },
    refresh,
    close() {
      isOpen = false;
      clearTimeout(timer);
    },
  };
}

/** Answers from memory; all flags are on or off, there are no others. */
class TableProvider implements Provider {
  readonly metadata = { name: 'Potluck' };
  readonly runsOn = 'server';
  values: Record<string, boolean>;

  constructor(values: Record<string, boolean>) {
    this.values = values;
  }

  async resolveBooleanEvaluation(name: string, otherwise: boolean): Promise<ResolutionDetails<boolean>> {
    return { value: this.values[name] ?? otherwise, reason: StandardResolutionReasons.CACHED };
  }
  resolveStringEvaluation = noSuchType;
  resolveNumberEvaluation = noSuchType;
  resolveObjectEvaluation = noSuchType;
}

async function noSuchType(): Promise<never> {
  throw new TypeMismatchError('flags are on or off');
}
