/** Events as they leave the server. */
import { avatarUrl, type PersonRow } from '../users/present.ts';
import { findCategory, findTemplate } from './catalogue.ts';
import type { CommonEvent, Event, ListedEvent } from './schemas.ts';

export type EventRow = {
  id: string;
  organizerId: string;
  title: string;
  description: string;
  coverUrl: string | null;
  startAt: Date;
  endAt: Date;
  /** From the start of a local day to the start of a later one. */
  allDay: boolean;
  timezone: string;
  address: string;
  lat: number;
  lng: number;
  category: string;
  template: string;
  price: number;
  /** Whether price 0 means free; always true when the price is above 0. */
  isPriceKnown: boolean;
  currency: string;
  capacity: number;
  visibility: 'public' | 'unlisted' | 'private';
  status: 'scheduled' | 'cancelled';
  /** With its organizer, who is suspended. */
  hidden: boolean;
  enabledModules: string[];
  createdAt: Date;
  updatedAt: Date;
  /** Raised by every change of what a calendar shows. */
  sequence: number;
  rsvpCount: number;
  goingCount: number;
  bookedCount: number;
};
/** What somebody has to do with an event. */
export type ViewerState = { myRsvp: 'going' | 'interested' | null; isSaved: boolean };
/** `position`: in the waitlist, from 1; null when booked. */
export type MyBooking = { id: string; seats: number; position: number | null; createdAt: Date };
export type ViewerStateWithBooking = ViewerState & { booking: MyBooking | null };

function common(row: EventRow, publicUrl: string) {
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    coverUrl: row.coverUrl ?? `${publicUrl}/v1/events/${row.id}/cover.svg?category=${row.category}`,
    startAt: row.startAt.toISOString(),
    endAt: row.endAt.toISOString(),
    allDay: row.allDay,
    timezone: row.timezone,
    location: { address: row.address, lat: row.lat, lng: row.lng },
    category: findCategory(row.category),
    price: row.price,
    isPriceKnown: row.isPriceKnown,
    currency: row.currency,
    capacity: row.capacity,
    rsvpCount: row.rsvpCount,
    goingCount: row.goingCount,
    visibility: row.visibility,
    status: row.status,
    createdAt: row.createdAt.toISOString(),
  };
}

/** Tens of metres are as far as an address goes. */
export const rounded = (km: number): number => Math.round(km * 100) / 100;

/** The caller's own fields and the distance, which differ from one caller to the next, are appended in `bytes.ts`. */
export const toListedEvent = (row: EventRow, publicUrl: string): ListedEvent => common(row, publicUrl);

/** The caller's booking, and the place in the waitlist: at most one of them is there. */
export function toMyBooking(booking: MyBooking | null): Pick<Event, 'myBooking' | 'myWaitlist'> {
  if (!booking) return { myBooking: null, myWaitlist: null };
  const { id, seats, position } = booking;
  const createdAt = booking.createdAt.toISOString();
  return position === null
    ? { myBooking: { id, seats, createdAt }, myWaitlist: null }
    : { myBooking: null, myWaitlist: { id, seats, position, createdAt } };
}

/** What is the same for everybody. */
export const toEvent = (row: EventRow, organizer: PersonRow | null, publicUrl: string): CommonEvent => ({
  ...common(row, publicUrl),
  organizer: {
    id: row.organizerId,
    name: organizer?.name ?? '',
    avatar: avatarUrl(publicUrl, organizer ?? { id: row.organizerId, avatarUpload: null }),
  },
  bookedCount: row.bookedCount,
  template: findTemplate(row.template),
  enabledModules: row.enabledModules,
  updatedAt: row.updatedAt.toISOString(),
});
