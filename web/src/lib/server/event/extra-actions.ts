/** Forms of the page of an event besides the RSVP and the list. */
import type { Actions } from '@sveltejs/kit';

export const extraActions = {} satisfies Actions;
