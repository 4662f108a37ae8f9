import type { AccountServices } from '../accounts/services.ts';
import type { ItemServices } from '../items/services.ts';

export type GuestServices = ItemServices & AccountServices;
