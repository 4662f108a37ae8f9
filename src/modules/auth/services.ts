import type { UserServices } from '../users/services.ts';
import { type SmsDriver, smsDriver } from './sms.ts';

export type AuthServices = UserServices & { sms: SmsDriver };

/** @param sms in place of the driver of the configuration, for tests */
export const createAuthServices = ({ config, log }: UserServices, sms?: SmsDriver) => ({
  sms: sms ?? smsDriver(config, log),
});
