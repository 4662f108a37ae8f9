import { defineModule } from '../../http/define-module.ts';
import { refreshInvitedByContacts } from './confirm-contact.ts';
import { invitationDeletionHooks } from './delete-account-data.ts';
import { invitationExportSections } from './export-sections.ts';
import type { InvitationServices } from './services.ts';

/** Invitations: who is invited to what, and how they are told */
export const invitations = defineModule<InvitationServices>({
  tag: 'Invitations',
  endpoints: {},
  contactHooks: [refreshInvitedByContacts],
  deletionHooks: invitationDeletionHooks,
  exportSections: invitationExportSections,
});
