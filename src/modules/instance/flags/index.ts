import { defineModule } from '../../../http/define-module.ts';
import type { BaseServices } from '../../../http/services.ts';
import { getFeatures } from './get-features.ts';
import { listFlags } from './list-flags.ts';
import { switchFlag } from './switch-flag.ts';

/** Features that admins switch on and off. */
export const flags = defineModule<BaseServices>({
  tag: 'Administration',
  endpoints: { getFeatures, listFlags, switchFlag },
});
