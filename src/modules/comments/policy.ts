/** Decides who may write and delete comments of an event that they can see. */
import type { Viewer } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { isOrganizer } from '../events/audience.ts';
import type { EventRow } from '../events/present.ts';

/** The comments of an event, and those that a guest without an account can be the last to write. */
const [maxComments, maxBeforeGuests] = [5_000, 4_000];

export type CommentedEvent = Pick<EventRow, 'id' | 'organizerId' | 'commentVisibility'>;

/** The viewer whose blocks leave comments out; null for the organizer, who reads all, and without a token. */
export const blockedViewer = (event: CommentedEvent, viewer: Viewer | null): string | null =>
  viewer && !isOrganizer(event, viewer) ? viewer.id : null;

/** Whether a person may add a comment to those of an event. */
export const refuseNumber = (count: number, person: { hasAccount: boolean }): Problem | null =>
  count >= (person.hasAccount ? maxComments : maxBeforeGuests) ? new Problem('comments_full') : null;

/** Whether a person may delete a comment that they can read. */
export const refuseDeletion = (event: CommentedEvent, authorId: string, caller: Viewer): Problem | null =>
  authorId === caller.id || isOrganizer(event, caller) ? null : new Problem('not_owner');
