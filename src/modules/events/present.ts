/** Converts event rows to the objects of responses. */
import { avatarUrl, type PersonRow } from '../users/present.ts';
import type { Audience } from './audience.ts';
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
  /** The event lasts from the start of a day in `timezone` to the start of a later day. */
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
  /** The organizer is suspended. */
  hidden: boolean;
  enabledModules: string[];
  guestListVisibility: Audience;
  claimantVisibility: Audience;
  createdAt: Date;
  updatedAt: Date;
  /** Version number for calendars: increases with each change of a field that calendars show. */
  sequence: number;
  rsvpCount: number;
  goingCount: number;
  /** People who are going, and their extra guests. */
  partyCount: number;
  bookedCount: number;
  /** The version of the record in the change log. */
  version: number;
};
/** The viewer's own fields of an event in lists. */
export type ViewerState = { myRsvp: 'going' | 'interested' | null; isSaved: boolean };
/** The viewer's booking. `position`: place in the waitlist, from 1; null for booked seats. */
export type MyBooking = { id: string; seats: number; position: number | null; createdAt: Date };
/** The viewer's own fields of the record. Without an RSVP, `myExtraGuests` is 0 and `isRsvpHidden` false. */
export type ViewerStateOfRecord = ViewerState & {
  myExtraGuests: number;
  isRsvpHidden: boolean;
  booking: MyBooking | null;
};

/** The chosen image, or the generated cover. */
export const coverUrlOf = (
  { id, coverUrl, category }: Pick<EventRow, 'id' | 'coverUrl' | 'category'>,
  publicUrl: string,
): string => coverUrl ?? `${publicUrl}/v1/events/${id}/cover.svg?category=${category}`;

/** The fields of a request in which the address of a generated cover, of any event, means that there is no image. */
export function withChosenCover<T extends { coverUrl?: string | null }>(fields: T, publicUrl: string): T {
  const { coverUrl } = fields;
  const isGenerated =
    coverUrl?.startsWith(`${publicUrl}/v1/events/`) && /\/cover\.svg(\?category=[a-z-]*)?$/.test(coverUrl);
  return isGenerated ? { ...fields, coverUrl: null } : fields;
}

function common(row: EventRow, publicUrl: string) {
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    coverUrl: coverUrlOf(row, publicUrl),
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
    partyCount: row.partyCount,
    visibility: row.visibility,
    status: row.status,
    createdAt: row.createdAt.toISOString(),
  };
}

/** Rounds a distance in km to 10 metres, the precision of an address. */
export const roundDistance = (km: number): number => Math.round(km * 100) / 100;

/** An event in lists, without the viewer's own fields and the distance. */
export const toListedEvent = (row: EventRow, publicUrl: string): ListedEvent => common(row, publicUrl);

/** The viewer's booking or place in the waitlist; a viewer has at most one of them. */
export function toMyBooking(booking: MyBooking | null): Pick<Event, 'myBooking' | 'myWaitlist'> {
  if (!booking) return { myBooking: null, myWaitlist: null };
  const { id, seats, position } = booking;
  const createdAt = booking.createdAt.toISOString();
  return position === null
    ? { myBooking: { id, seats, createdAt }, myWaitlist: null }
    : { myBooking: null, myWaitlist: { id, seats, position, createdAt } };
}

/** The fields of the record that are equal for all viewers. @param organizer null for a deleted account */
export const toCommonEvent = (
  row: EventRow,
  organizer: PersonRow | null,
  publicUrl: string,
): CommonEvent => ({
  ...common(row, publicUrl),
  organizer: {
    id: row.organizerId,
    name: organizer?.name ?? '',
    avatar: avatarUrl(publicUrl, organizer ?? { id: row.organizerId, avatarUpload: null }),
  },
  bookedCount: row.bookedCount,
  template: findTemplate(row.template),
  enabledModules: row.enabledModules,
  guestListVisibility: row.guestListVisibility,
  claimantVisibility: row.claimantVisibility,
  updatedAt: row.updatedAt.toISOString(),
});

/** The record. @param viewerState null without a token */
export const toEvent = (
  row: EventRow,
  organizer: PersonRow | null,
  viewerState: ViewerStateOfRecord | null,
  publicUrl: string,
): Event => ({
  ...toCommonEvent(row, organizer, publicUrl),
  ...(viewerState && {
    myRsvp: viewerState.myRsvp,
    isSaved: viewerState.isSaved,
    myExtraGuests: viewerState.myExtraGuests,
    isRsvpHidden: viewerState.isRsvpHidden,
  }),
  ...toMyBooking(viewerState?.booking ?? null),
});
