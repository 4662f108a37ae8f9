/** The lines of a calendar entry that name people, and what is left out of texts in all lines. */
import { escape as escapeText, type ICalCalendarMethod } from 'ical-generator';
import type { EventRow } from '../events/present.ts';

/**
 * Of an entry that a mail brings into the reader's calendar, changes there or takes out (RFC 5546): the sender and the reader are
 * mail addresses. `isGoing`: whether the reader attends the event. `stamp`: of two mails about the same state, the later is newer.
 */
export type Invitation = {
  method: ICalCalendarMethod;
  organizer: string;
  attendee: string;
  isGoing: boolean;
  stamp: Date;
};

/** The library requires a mail address for ORGANIZER. */
export function organizerLines(
  { organizerId }: Pick<EventRow, 'organizerId'>,
  organizerName: string | null,
  publicUrl: string,
  invitation: Invitation | undefined,
): string {
  const name = organizerName === null ? '' : `;CN="${escapeText(clean(organizerName), true)}"`;
  if (invitation) {
    const { organizer, attendee, isGoing } = invitation;
    const status = `PARTSTAT=${isGoing ? 'ACCEPTED' : 'TENTATIVE'};RSVP=FALSE`;
    return `ORGANIZER${name}:${mailUri(organizer)}\r\nATTENDEE;${status}:${mailUri(attendee)}\r\n`;
  }
  // RFC 5545 allows any URI. Potluck publishes neither mail addresses nor phone numbers.
  return name && `ORGANIZER${name}:${publicUrl}/v1/users/${organizerId}\r\n`;
}

const mailUri = (address: string): string =>
  `mailto:${encodeURI(address).replace(/[?#]/g, encodeURIComponent)}`;

/**
 * Replaces all line separators with `\n` and removes other control characters, which RFC 5545 does not allow.
 */
export const clean = (text: string): string =>
  text.replace(/\r\n|[\r\v\f\u0085\u2028\u2029]/g, '\n').replace(/(?![\n\t])\p{Cc}/gu, '');
