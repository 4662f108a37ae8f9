import type { PageLoad } from './$types';

/**
 * Most events have neither a deadline nor an organizer who approves guests, and most visitors no invitation, so their pages do not load
 * the words for them.
 */
export const load: PageLoad = async ({ data }) => {
  const { rsvpUntil, rsvpApproval, myInvitation } = data.event;
  const hasTerms = rsvpUntil !== null || rsvpApproval === 'organizer';
  const [terms, note] = await Promise.all([
    hasTerms ? import('#lib/event/guests/components/JoinTerms.svelte') : null,
    myInvitation ? import('#lib/event/guests/components/InvitationNote.svelte') : null,
  ]);
  return { ...data, Terms: terms?.default ?? null, InvitationNote: note?.default ?? null };
};
