import type { AccountServices } from '../accounts/services.ts';

export type InstanceServices = AccountServices;
