/** Reads and checks changes of the settings of the instance. */

import type { Transaction } from '#pg';
import { type AuditContext, recordAudit } from '../../audit/audit.ts';
import type { ReadyConfig } from '../../config/config.ts';
import { toContactLink } from '../../config/contact.ts';
import { isInstanceName } from '../../config/instance-name.ts';
import type { BaseServices } from '../../http/services.ts';
import {
  changeSettings,
  fixedSettings,
  recordSettingsChange,
  type SettingName,
  type Settings,
  settingNames,
} from '../../instance/settings.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { listDemoAccounts } from '../accounts/admins.ts';
import type { InstanceSettings, SettingsChange } from './schemas.ts';
import { describeStreets } from './streets/describe-streets.ts';

export async function readSettings({
  instance,
  config,
  db,
}: Pick<BaseServices, 'instance' | 'config' | 'db'>): Promise<InstanceSettings> {
  const [settings, demo] = await Promise.all([instance.settings(), listDemoAccounts(db)]);
  const streetsState = await describeStreets(config, settings.streets);
  const fixed = fixedSettings(config);
  return {
    ...settings,
    contact: settings.contact?.replace(/^mailto:/, '') ?? null,
    streetsState,
    possibleSignIn: config.signIn,
    fixed: settingNames.filter((name) => name in fixed),
    demoAccounts: demo.length,
  };
}

export const refuseSetting = (path: SettingName, message: string): Problem =>
  new Problem('setting_refused', { errors: [{ path, message }] });

/**
 * Reads a change: the link of the contact, and only what the operator has left to admins.
 * @throws Problem `invalid_request`, `setting_refused`
 */
export function readChange(
  { name, language, contact, signIn, streets }: SettingsChange,
  config: ReadyConfig,
): Partial<Settings> {
  if (name !== undefined && !isInstanceName(name)) throw invalid('name', 'must have none of " < > @');
  const link = contact && toContactLink(contact);
  if (contact && !link) throw invalid('contact', 'must be a mail address or the address of a page', 'email');
  const change: Partial<Settings> = {
    ...(name !== undefined && { name }),
    ...(language !== undefined && { language }),
    ...(contact !== undefined && { contact: link ?? null }),
    ...(signIn !== undefined && { signIn }),
    ...(streets !== undefined && { streets }),
  };
  const fixed = fixedSettings(config);
  for (const setting of settingNames)
    if (setting in change && setting in fixed) throw refuseSetting(setting, 'is set by the operator');
  if (signIn?.some((kind) => !config.signIn.includes(kind)))
    throw refuseSetting('signIn', 'has a way that is not configured');
  return change;
}

/** Stores a change with its audit entry. `recordSettingsChange` is the last statement of the transaction. */
export async function storeChange(
  tx: Transaction,
  config: ReadyConfig,
  change: Partial<Settings>,
  { context, userId }: { context: AuditContext; userId: string },
): Promise<void> {
  const changed = await changeSettings(tx, config, change);
  if (changed.length === 0) return;
  await recordAudit(tx, context, { userId }, 'settings_changed', changed.join(', '));
  await recordSettingsChange(tx);
}
