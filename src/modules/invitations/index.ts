import { defineModule } from '../../http/define-module.ts';
import { refreshInvitedByContacts } from './confirm-contact.ts';
import { invitationDeletionHooks } from './delete-account-data.ts';
import { deliverInvitations } from './deliver.ts';
import { invitationDepartureHook } from './depart.ts';
import { eraseOldInvitations } from './erase-invitations.ts';
import { invitationExportSections } from './export-sections.ts';
import { changeInvitation, getInvitation, withdrawInvitation } from './invitation.ts';
import { invite, inviteToSeries } from './invite.ts';
import { inviteGuests } from './invite-guests.ts';
import { listInvitations, listSeriesInvitations } from './list-invitations.ts';
import { remindInvited, remindInvitedToSeries, sendInvitationAgain } from './remind.ts';
import type { InvitationServices } from './services.ts';

/** Invitations: who is invited to what, and how they are told */
export const invitations = defineModule<InvitationServices>({
  tag: 'Invitations',
  endpoints: {
    invite,
    listInvitations,
    remindInvited,
    inviteToSeries,
    listSeriesInvitations,
    remindInvitedToSeries,
    getInvitation,
    changeInvitation,
    withdrawInvitation,
    sendInvitationAgain,
  },
  jobs: [
    { name: 'send invitations', everyMs: 1_000, run: deliverInvitations },
    { name: 'erase invitations to old events', everyMs: 60 * 60_000, run: eraseOldInvitations },
  ],
  departureHooks: [invitationDepartureHook],
  contactHooks: [refreshInvitedByContacts],
  privacyHooks: [inviteGuests],
  deletionHooks: invitationDeletionHooks,
  exportSections: invitationExportSections,
});
