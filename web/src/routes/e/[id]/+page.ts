import type { PageLoad } from './$types';

/** Most events have neither a deadline nor an organizer who approves guests, so their pages do not load the words for them. */
export const load: PageLoad = async ({ data }) => {
  const { rsvpUntil, rsvpApproval } = data.event;
  const hasTerms = rsvpUntil !== null || rsvpApproval === 'organizer';
  return {
    ...data,
    Terms: hasTerms ? (await import('#lib/event/guests/components/JoinTerms.svelte')).default : null,
  };
};
