/**
 * Collects what the modules contribute to account deletion, to departures from events, their privacy and their restoration, to changes of contacts, and to
 * the export.
 */
import type { ExportSection } from '../http/export-section.ts';
import { orderHooks } from '../modules/accounts/deletion/delete-account.ts';
import { exportComponents } from '../modules/accounts/export/schema.ts';
import type { AccountHooks } from '../modules/accounts/services.ts';
import { modules } from './modules.ts';

const isProfile = ({ name }: ExportSection) => Number(name === 'profile');

export const accountHooks: AccountHooks = {
  deletionHooks: orderHooks(modules.flatMap(({ deletionHooks = [] }) => deletionHooks)),
  departureHooks: orderHooks(modules.flatMap(({ departureHooks = [] }) => departureHooks)),
  contactHooks: modules.flatMap(({ contactHooks = [] }) => contactHooks),
  privacyHooks: modules.flatMap(({ privacyHooks = [] }) => privacyHooks),
  restoredDateHooks: modules.flatMap(({ restoredDateHooks = [] }) => restoredDateHooks),
  // In the order of the modules, after the profile.
  exportSections: modules
    .flatMap(({ exportSections = [] }) => exportSections)
    .sort((a, b) => isProfile(b) - isProfile(a)),
};

/** The schema `Export` of the OpenAPI document is composed of the sections of all modules. */
exportComponents(accountHooks.exportSections);
