/** Converts event rows to the objects of responses. */
import { avatarUrl, type PersonRow, toPerson } from '../people/present.ts';
import { findCategory, findTemplate } from './catalogue.ts';
import type { EventFieldName, EventFields } from './event-fields.ts';
import type { CommonEvent, Event, HiddenState, ListedEvent } from './schemas.ts';

export type EventRow = EventFields & {
  id: string;
  organizerId: string;
  /** An admin hides the event, or the organizer is suspended. */
  hidden: boolean;
  /** Why and since when an admin hides the event; null if no admin does. */
  hiddenReason: string | null;
  hiddenAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
  /** Whether the event has been public. */
  isAnnounced: boolean;
  /** Version number for calendars: increases with each change of a field that calendars show. */
  sequence: number;
  rsvpCount: number;
  goingCount: number;
  /** People who are going, and their extra guests. */
  partyCount: number;
  bookedCount: number;
  /** The series of which the event is an occurrence, and its date there; null for an event without a series. */
  seriesId: string | null;
  seriesDate: string | null;
  /** The fields that were changed for this occurrence alone. */
  ownFields: EventFieldName[];
  /** Whether the place of this row is not the exact one, because the event hides it. */
  isAddressHidden: boolean;
  /** Whether the event has an `onlineUrl` that this row lacks. */
  hidesOnlineUrl: boolean;
  /** The version of the record in the change log. */
  version: number;
};
/** The viewer's own fields of an event in lists. */
export type ViewerState = { myRsvp: 'going' | 'interested' | null; isSaved: boolean };
/** The viewer's booking. `position`: place in the waitlist, from 1; null for booked seats. */
export type MyBooking = { id: string; seats: number; position: number | null; createdAt: Date };
/** The invitation of the viewer. `status`: null for a link for many. */
export type MyInvitation = {
  id: string;
  status: 'pending' | 'going' | 'interested' | 'declined' | null;
  reply: string | null;
  message: string | null;
  invitedBy: PersonRow;
};
/** The viewer's own fields of the record. Without an RSVP, `myExtraGuests` is 0 and `isRsvpHidden` false. */
export type ViewerStateOfRecord = ViewerState & {
  myExtraGuests: number;
  isRsvpHidden: boolean;
  myRequest: 'pending' | 'refused' | null;
  booking: MyBooking | null;
  myInvitation: MyInvitation | null;
};
/**
 * Whom a record is for. `viewerState`: null without a token. `isOrganizer`: whether the viewer organizes the event or is an
 * admin, who read why it is hidden.
 */
export type RecordViewer = { viewerState: ViewerStateOfRecord | null; isOrganizer: boolean };

/** The chosen image, or the generated cover. */
export const coverUrlOf = (
  { id, coverUrl, coverTheme, category }: Pick<EventRow, 'id' | 'coverUrl' | 'coverTheme' | 'category'>,
  publicUrl: string,
): string => {
  const theme = coverTheme ? `&theme=${coverTheme}` : '';
  return coverUrl ?? `${publicUrl}/v1/events/${id}/cover.svg?category=${category}${theme}`;
};

/** The fields of a request in which the address of a generated cover, of any event, means that there is no image. */
export function withChosenCover<T extends { coverUrl?: string | null }>(fields: T, publicUrl: string): T {
  const { coverUrl } = fields;
  const isGenerated =
    coverUrl?.startsWith(`${publicUrl}/v1/events/`) &&
    /\/cover\.svg(\?category=[a-z-]*(&theme=[a-z]*)?)?$/.test(coverUrl);
  return isGenerated ? { ...fields, coverUrl: null } : fields;
}

/** The fields of responses, and others: the serializers leave out what the schema of a response does not have. */
const common = <Row extends Omit<EventRow, 'hidden'>>(row: Row, publicUrl: string) => ({
  ...row,
  coverUrl: coverUrlOf(row, publicUrl),
  location: row,
  series: toSeriesOf(row),
  hasOnlineUrl: row.onlineUrl !== null || row.hidesOnlineUrl,
  category: findCategory(row.category),
  template: findTemplate(row.template),
});

/** What an event is of a series, or null. */
export const toSeriesOf = ({
  seriesId: id,
  seriesDate: date,
  ownFields,
}: Pick<EventRow, 'seriesId' | 'seriesDate' | 'ownFields'>) =>
  id === null || date === null ? null : { id, date, isChanged: ownFields.length > 0 };

/** An event in lists, without the viewer's own fields and the distance. */
export const toListedEvent = (row: EventRow, publicUrl: string): ListedEvent => common(row, publicUrl);

/** The viewer's booking or place in the waitlist; a viewer has at most one of them. */
export function toMyBooking(booking: MyBooking | null): Pick<Event, 'myBooking' | 'myWaitlist'> {
  if (!booking) return { myBooking: null, myWaitlist: null };
  const { id, seats, position, createdAt } = booking;
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
  organizer: toOrganizer(row, organizer, publicUrl),
});

export const toOrganizer = (
  { organizerId: id }: Pick<EventRow, 'organizerId'>,
  organizer: PersonRow | null,
  publicUrl: string,
): CommonEvent['organizer'] => ({
  id,
  name: organizer?.name ?? '',
  avatar: avatarUrl(publicUrl, organizer ?? { id, avatarUpload: null }),
});

export const toMyInvitation = (
  { myInvitation }: Pick<ViewerStateOfRecord, 'myInvitation'>,
  publicUrl: string,
): Required<Pick<Event, 'myInvitation'>> => ({
  myInvitation: myInvitation && {
    ...myInvitation,
    invitedBy: toPerson(myInvitation.invitedBy, publicUrl),
  },
});

/** Why and since when admins hide the event, or null. */
export const toHidden = ({ hiddenReason: reason, hiddenAt: at }: EventRow): HiddenState | null =>
  at && { reason: reason ?? '', at };

/** The record. */
export const toEvent = (
  row: EventRow,
  organizer: PersonRow | null,
  { viewerState, isOrganizer }: RecordViewer,
  publicUrl: string,
): Event => {
  const { hidden: _, ...shown } = row;
  const { myInvitation: _stored, ...own } = viewerState ?? {};
  return {
    ...common(shown, publicUrl),
    organizer: toOrganizer(row, organizer, publicUrl),
    ...own,
    ...(viewerState && toMyInvitation(viewerState, publicUrl)),
    ...toMyBooking(viewerState?.booking ?? null),
    ...(isOrganizer && { hidden: toHidden(row) }),
  };
};
