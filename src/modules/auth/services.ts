import type { UserServices } from '../users/services.ts';
import { createSmsDriver, type SmsDriver } from './sms.ts';

export type AuthServices = UserServices & { sms: SmsDriver };

/** @param sms replaces the configured driver, for tests */
export const createAuthServices = ({ config, log, instance }: UserServices, sms?: SmsDriver) => ({
  sms: sms ?? createSmsDriver(config, log, async () => (await instance.settings()).name),
});
