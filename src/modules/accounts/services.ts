import type {
  ContactHook,
  DeletionHook,
  DepartureHook,
  PrivacyHook,
  RestoredDateHook,
} from '../../http/define-module.ts';
import type { ExportSection } from '../../http/export-section.ts';
import type { PeopleServices } from '../people/services.ts';
import type { UploadServices } from '../uploads/services.ts';
import { createExports, type OpenExport } from './export/open-export.ts';
import { createSmsDriver, type SmsDriver } from './sms/driver.ts';

/**
 * What the modules contribute: deletion hooks in lock order, and export sections in the order of the
 * document.
 */
export type AccountHooks = {
  deletionHooks: DeletionHook[];
  departureHooks: DepartureHook[];
  contactHooks: ContactHook[];
  privacyHooks: PrivacyHook[];
  restoredDateHooks: RestoredDateHook[];
  exportSections: ExportSection[];
};

type LowerServices = UploadServices & PeopleServices;

export type AccountServices = LowerServices & {
  sms: SmsDriver;
  deletionHooks: DeletionHook[];
  departureHooks: DepartureHook[];
  contactHooks: ContactHook[];
  privacyHooks: PrivacyHook[];
  restoredDateHooks: RestoredDateHook[];
  openExport: OpenExport;
};

/** @param sms replaces the configured driver, for tests */
export function createAccountServices(
  services: LowerServices,
  { exportSections, ...hooks }: AccountHooks,
  sms?: SmsDriver,
): Omit<AccountServices, keyof LowerServices> {
  const { config, log, instance } = services;
  return {
    sms: sms ?? createSmsDriver(config, log, async () => (await instance.settings()).name),
    ...hooks,
    openExport: createExports(services, exportSections),
  };
}
