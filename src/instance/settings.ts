/**
 * The settings of the instance. Each has the value of its environment variable; without one, what an admin has set (table
 * `instance_settings`), or the default. A change is in the change log: it applies on every server from the response to it on.
 */
import { type ChangeLog, recordValueChange, watchValue } from '#fresh-records';
import { type Database, type Queryable, sql, type Transaction } from '#pg';
import type { Coordinates } from '#record-index';
import { baseLanguage, type Language } from '../../web/src/lib/language/languages.ts';
import type { Config } from '../config/config.ts';
import { defaultInstanceName } from '../config/instance-name.ts';
import { isDownloaded } from '../config/map-tiles.ts';
import type { ContactKind } from '../lib/contact.ts';

export type Settings = {
  /** The name by which messages call the server. */
  name: string;
  /** The language for those who ask for none that the server has. */
  language: Language;
  /** How visitors reach the operator: the target of a link, or null. */
  contact: string | null;
  /** The kinds of contacts with which people sign in: at least one. */
  signIn: ContactKind[];
  /** The town whose streets servers download. */
  streets: Town | null;
};
export type Town = Coordinates & { name: string };
export const settingNames = [
  'name',
  'language',
  'contact',
  'signIn',
  'streets',
] as const satisfies (keyof Settings)[];
export type SettingName = (typeof settingNames)[number];

/** Null for the default. */
type StoredSettings = { [Name in SettingName]: Settings[Name] | null };

type SettingsConfig = Pick<
  Config,
  'instanceName' | 'defaultLanguage' | 'contact' | 'signIn' | 'isSignInFixed' | 'mapTiles'
>;

/** The settings that the operator has set: admins cannot change them. */
export const fixedSettings = (config: SettingsConfig): Partial<Settings> => ({
  ...(config.instanceName !== undefined && { name: config.instanceName }),
  ...(config.defaultLanguage !== undefined && { language: config.defaultLanguage }),
  ...(config.contact !== undefined && { contact: config.contact }),
  ...(config.isSignInFixed && { signIn: config.signIn }),
  ...(!isDownloaded(config.mapTiles) && { streets: null }),
});

export function combineSettings(config: SettingsConfig, stored: StoredSettings): Settings {
  const chosen = config.signIn.filter((kind) => stored.signIn?.includes(kind));
  return {
    name: stored.name ?? defaultInstanceName,
    language: stored.language ?? baseLanguage,
    contact: stored.contact,
    streets: stored.streets,
    // A chosen way may have lost its service. If all have, people still need one.
    signIn: chosen.length > 0 ? chosen : config.signIn,
    ...fixedSettings(config),
  };
}

const nothing: StoredSettings = { name: null, language: null, contact: null, signIn: null, streets: null };

async function readStored(db: Queryable): Promise<StoredSettings> {
  const [row] = await db.query<StoredSettings>(
    sql`select name, language, contact, sign_in, streets from instance_settings`,
  );
  return row ?? nothing;
}

/** Changes the settings that are present. @returns the names of those whose values changed */
export async function changeSettings(
  tx: Transaction,
  config: SettingsConfig,
  change: Partial<Settings>,
): Promise<SettingName[]> {
  // The statement locks the row, or inserts it: of two concurrent changes, the second reads what the first has stored.
  await tx.query(
    sql`insert into instance_settings (id) values (true) on conflict (id) do update set id = true`,
  );
  const stored = await readStored(tx);
  const before = combineSettings(config, stored);
  const next = { ...stored, ...change };
  const after = combineSettings(config, next);
  await tx.query(sql`
    update instance_settings
    set name = ${next.name}, language = ${next.language}, contact = ${next.contact}, sign_in = ${next.signIn}::text[],
        streets = ${next.streets && JSON.stringify(next.streets)}::jsonb`);
  return settingNames.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

const settingsKey = 'instance_settings';

/** Records that settings were changed, as the last statement of a transaction. */
export const recordSettingsChange = (tx: Transaction): Promise<void> => recordValueChange(tx, settingsKey);

export type Instance = {
  /** Reads the change log first. @throws as a query of the database */
  settings(): Promise<Settings>;
  /** The settings that this server has read last; those of the configuration before that. */
  readonly known: Settings;
  /** Differs after each change that this server has read in the log. */
  readonly version: number;
};

export function openInstance(
  { db, changeLog }: { db: Database; changeLog: ChangeLog },
  config: SettingsConfig,
): Instance {
  let known = combineSettings(config, nothing);
  const read = async () => {
    known = combineSettings(config, await readStored(db));
    return known;
  };
  const value = watchValue(changeLog, settingsKey, read);
  return {
    settings: value.get,
    get known() {
      return known;
    },
    get version() {
      return value.version;
    },
  };
}
