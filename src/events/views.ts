/** Events as they leave the server. */
import { avatarUrl, type PersonRow } from '../users/views.ts';
import { findCategory, findTemplate } from './catalogue.ts';
import type { Listed } from './lists.ts';
import type { Event, ListedEvent } from './schemas.ts';

export type EventRow = {
  id: string;
  organizerId: string;
  title: string;
  description: string;
  coverUrl: string | null;
  startAt: Date;
  endAt: Date;
  timezone: string;
  address: string;
  lat: number;
  lng: number;
  category: string;
  template: string;
  price: number;
  currency: string;
  capacity: number;
  visibility: 'public' | 'unlisted' | 'private';
  status: 'scheduled' | 'cancelled';
  enabledModules: string[];
  createdAt: Date;
  updatedAt: Date;
  rsvpCount: number;
  goingCount: number;
};
/** What somebody has to do with an event. */
export type Mine = { myRsvp: 'going' | 'interested' | null; isSaved: boolean };

/** `mine`: the viewer's; null without a viewer, and then the fields are left out. */
function common(row: EventRow, mine: Mine | null, publicUrl: string) {
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    coverUrl: row.coverUrl ?? `${publicUrl}/v1/events/${row.id}/cover.svg?category=${row.category}`,
    startAt: row.startAt.toISOString(),
    endAt: row.endAt.toISOString(),
    timezone: row.timezone,
    location: { address: row.address, lat: row.lat, lng: row.lng },
    category: findCategory(row.category),
    price: row.price,
    currency: row.currency,
    capacity: row.capacity,
    rsvpCount: row.rsvpCount,
    goingCount: row.goingCount,
    ...mine,
    visibility: row.visibility,
    status: row.status,
    createdAt: row.createdAt.toISOString(),
  };
}

export const toListedEvent = ({ row, distanceKm, mine }: Listed, publicUrl: string): ListedEvent => ({
  ...common(row, mine, publicUrl),
  // Tens of metres are as far as an address goes.
  ...(distanceKm !== null && { distanceKm: Math.round(distanceKm * 100) / 100 }),
});

export const toEvent = (
  row: EventRow,
  organizer: Pick<PersonRow, 'name'> | null,
  mine: Mine | null,
  publicUrl: string,
): Event => ({
  ...common(row, mine, publicUrl),
  organizer: {
    id: row.organizerId,
    name: organizer?.name ?? '',
    avatar: avatarUrl(publicUrl, row.organizerId),
  },
  bookedCount: 0,
  template: findTemplate(row.template),
  enabledModules: row.enabledModules,
  myBooking: null,
  updatedAt: row.updatedAt.toISOString(),
});
