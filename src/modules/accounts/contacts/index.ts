import { defineModule } from '../../../http/define-module.ts';
import type { AccountServices } from '../services.ts';
import { deleteExpiredContactChanges } from './contact-changes.ts';
import { contactExportSections } from './export-sections.ts';
import { removeEmail, removeIdentity, removePhone } from './remove-contact.ts';
import { requestContactCode } from './request-code.ts';
import { requestEmail, requestPhone } from './request-contact.ts';
import { verifyEmail, verifyPhone } from './verify-contact.ts';

/** The contacts with which a person signs in: adding, confirming and removing them. */
export const contacts = defineModule<AccountServices>({
  tag: 'Me',
  endpoints: {
    requestEmail,
    verifyEmail,
    removeEmail,
    requestPhone,
    verifyPhone,
    removePhone,
    removeIdentity,
    requestContactCode,
  },
  jobs: [
    {
      name: 'delete unconfirmed contacts',
      everyMs: 60 * 60_000,
      run: ({ db, clock }) => deleteExpiredContactChanges(db, clock()),
    },
  ],
  exportSections: contactExportSections,
});
