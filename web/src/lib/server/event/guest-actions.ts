/** Forms for the RSVP and the list of an event. */
import type { Actions } from '@sveltejs/kit';

export const guestActions = {} satisfies Actions;
