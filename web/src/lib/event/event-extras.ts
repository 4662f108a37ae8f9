import type { Guest } from '@potluck/client';

/** What the page of an event shows besides the event and its items. */
export type EventExtras = {
  /** Null if the visitor may not see who comes. */
  guests: { first: Guest[]; hasMore: boolean } | null;
};
