import type { ListingKey } from '../../cache/change-log.ts';
import { cellOf } from '../../lib/grid-cells.ts';
import { isListed } from './policy.ts';
import type { EventRow } from './present.ts';
export type ListableEvent = Pick<
  EventRow,
  'lat' | 'lng' | 'startAt' | 'endAt' | 'visibility' | 'status' | 'hidden'
>;

/** Of those events that lists show. */
export const listingKeysOf = (events: ListableEvent[]): ListingKey[] =>
  events.filter(isListed).map(({ lat, lng, startAt, endAt }) => ({ cell: cellOf(lat, lng), startAt, endAt }));
