import { defineModule } from '../../http/define-module.ts';
import { getSettings, updateSettings } from './admin-settings.ts';
import { getSetup } from './get-setup.ts';
import { removeDemo } from './remove-demo.ts';
import { sendTestMessage } from './send-test-message.ts';
import type { InstanceServices } from './services.ts';
import { setUp } from './set-up.ts';
import { loadStreets } from './streets/load-streets.ts';

/** The settings of the instance, and what its first admin needs. */
export const instance = defineModule<InstanceServices>({
  tag: 'Administration',
  endpoints: { getSetup, setUp, getSettings, updateSettings, sendTestMessage, removeDemo },
  jobs: [{ name: 'download streets', everyMs: 3_000, run: loadStreets }],
});
