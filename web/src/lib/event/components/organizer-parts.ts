/** What the organizer alone sees on the page of an event: one file, which nobody else loads. */
export { default as OrganizerBar } from './OrganizerBar.svelte';
export { default as OrganizerNotice } from './OrganizerNotice.svelte';
