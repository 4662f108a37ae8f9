import { defineModule } from '../../../http/define-module.ts';
import type { AccountServices } from '../services.ts';
import { profileExportSections } from './export-sections.ts';
import { getMe } from './get-me.ts';
import { updateMe } from './update-me.ts';

/** The profile of the caller, with the fields that only its owner sees. */
export const profile = defineModule<AccountServices>({
  tag: 'Me',
  endpoints: { getMe, updateMe },
  exportSections: profileExportSections,
});
