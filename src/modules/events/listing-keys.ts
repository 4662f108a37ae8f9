/** The listing keys of events: their places in lists, by which the discovery index finds what a change affects. */
import { dayMs } from '#base';
import type { ListingKey } from '#fresh-records';
import { cellOf } from '#record-index';
import { isListed } from './policy.ts';
import type { EventRow } from './present.ts';

export type ListableEvent = Pick<EventRow, 'lat' | 'lng' | 'startAt' | 'visibility' | 'status' | 'hidden'>;

/** The number of a UTC day, counted from 1970-01-01. @param at a time, or its milliseconds */
export const dayOf = (at: Date | number): number => Math.floor(Number(at) / dayMs);

/** The keys of those events that lists show. */
export const listingKeysOf = (events: ListableEvent[]): ListingKey[] =>
  events.filter(isListed).map(({ lat, lng, startAt }) => ({ cell: cellOf(lat, lng), day: dayOf(startAt) }));
