import { mayOrganize } from '#lib/event/event-status.ts';
import type { PageLoad } from './$types';

/**
 * Parts that most visitors do not see are loaded by those who do: the organizer, visitors of dates of a series and of events with a
 * deadline, with a hidden address or whose organizer approves guests, and those with an invitation.
 */
export const load: PageLoad = async ({ data, parent }) => {
  const { event } = data;
  const hasTerms =
    event.series || event.rsvpUntil || event.rsvpApproval === 'organizer' || event.isAddressHidden;
  const isOrganizer = mayOrganize(event, (await parent()).me);
  const [terms, note, organizerParts] = await Promise.all([
    hasTerms ? import('#lib/event/guests/components/JoinTerms.svelte') : null,
    event.myInvitation ? import('#lib/event/guests/components/InvitationNote.svelte') : null,
    isOrganizer ? import('#lib/event/components/organizer-parts.ts') : null,
  ]);
  return {
    ...data,
    Terms: terms?.default ?? null,
    InvitationNote: note?.default ?? null,
    OrganizerBar: organizerParts?.OrganizerBar ?? null,
    OrganizerNotice: organizerParts?.OrganizerNotice ?? null,
  };
};
