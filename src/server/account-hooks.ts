/** Collects what the modules contribute to account deletion and export. */
import { orderHooks } from '../modules/account/delete-account.ts';
import { exportComponents } from '../modules/account/export-schema.ts';
import { orderSections } from '../modules/account/export-sections.ts';
import type { AccountHooks } from '../modules/account/services.ts';
import { modules } from './modules.ts';

export const accountHooks: AccountHooks = {
  deletionHooks: orderHooks(modules.flatMap(({ deletionHooks = [] }) => deletionHooks)),
  exportSections: orderSections(modules.flatMap(({ exportSections = [] }) => exportSections)),
};

/** The schema `Export` of the OpenAPI document is composed of the sections of all modules. */
exportComponents(accountHooks.exportSections);
