import { defineModule } from '../../../http/define-module.ts';
import type { AccountServices } from '../services.ts';
import { changeRole } from './change-role.ts';

/** Roles: who is an admin. */
export const roles = defineModule<AccountServices>({
  tag: 'Administration',
  endpoints: { changeRole },
});
