import type { UserServices } from '../users/services.ts';
import { createSmsDriver, type SmsDriver } from './sms.ts';

export type AuthServices = UserServices & { sms: SmsDriver };

/** @param sms replaces the configured driver, for tests */
export const createAuthServices = ({ config, log }: UserServices, sms?: SmsDriver) => ({
  sms: sms ?? createSmsDriver(config, log),
});
