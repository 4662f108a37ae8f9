import type { AccountServices } from '../account/services.ts';

export type InstanceServices = AccountServices;
