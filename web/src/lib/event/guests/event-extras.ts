import type { Announcement, Guest } from '@potluck/client';

/** What the page of an event shows of a guest. The rest would be in each page twice, as markup and as data. */
export type GuestFace = Pick<Guest, 'status' | 'extraGuests'> & {
  user: Pick<Guest['user'], 'id' | 'name' | 'avatar' | 'hasAccount'>;
};

/** What the page of an event shows besides the event and its items. */
export type EventExtras = {
  /** Null if the visitor may not see who comes. */
  guests: { first: GuestFace[]; hasMore: boolean } | null;
  /** What the organizer wrote to the visitor, the newest first. */
  announcements: Announcement[];
};
