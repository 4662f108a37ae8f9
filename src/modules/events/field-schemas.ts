/** The schemas of fields of an event that need more than a line; event-fields.ts has the table. */
import { Type } from 'typebox';
import { anyServerText, httpsUrl, httpUrl, nullable, oneOf, timestamp } from '../../http/schemas.ts';
import { maxDecimals } from '../../lib/currencies.ts';
import { audiences } from './audience.ts';
import { coverThemes } from './covers/themes.ts';
import { maxDays } from './event-length.ts';
import { inputTime } from './field.ts';

export const coverUrl = {
  stored: nullable(Type.String(), { description: 'Null for the generated cover.' }),
  input: nullable(httpUrl(), {
    description: `Address of an image; null, or the address of a generated cover, for the generated cover. ${anyServerText}`,
  }),
  response: Type.String({ description: `Address of an image. ${anyServerText}` }),
};

const theme = nullable(oneOf(coverThemes, { examples: ['gingham'] }), {
  description: 'The theme of the generated cover; null: the id and the category decide.',
});
export const coverTheme = { stored: theme, input: theme };

const focuses = [
  ...(['left-top', 'top', 'right-top'] as const),
  ...(['left', 'center', 'right'] as const),
  ...(['left-bottom', 'bottom', 'right-bottom'] as const),
];
const focus = oneOf(focuses, {
  description: 'The part of an uploaded or linked image that stays visible where the image is cropped.',
  examples: ['top'],
});
export const coverFocus = { stored: focus, input: focus };

export const endAt = {
  stored: Type.Unsafe<Date>(timestamp({ examples: ['2026-12-24T22:00:00.000Z'] })),
  input: inputTime(
    `After \`startAt\` and at most ${maxDays} days later, in the years 1900 to 9999 in UTC. An all-day event has at ` +
      `most ${maxDays} calendar days.`,
  ),
};

export const allDay = {
  stored: Type.Boolean({
    description:
      'Whether the event takes whole days: from the start of the day of `startAt` to the start of the day of `endAt` ' +
      'in `timezone`. Show dates only; the last day is the one before `endAt`.',
    examples: [false],
  }),
  input: Type.Boolean({
    description:
      'If true, `startAt` and `endAt` must be midnight in `timezone`; where a clock change skips midnight, the first ' +
      'instant of the day. For 5 and 6 June in Oslo: `2027-06-05T00:00:00+02:00` and `2027-06-07T00:00:00+02:00`. When ' +
      'only the zone changes, an all-day event keeps its dates. False for a new event if left out.',
    examples: [false],
  }),
};

export const timezone = {
  stored: Type.String({
    description: 'The IANA time zone in which the times are meant.',
    examples: ['Europe/Oslo'],
  }),
  input: Type.String({
    format: 'time-zone',
    maxLength: 64,
    description:
      'IANA name, stored in the spelling of the IANA database. Default: the zone of the coordinates. When `location` ' +
      'changes, a zone that equals the zone of the old coordinates becomes the zone of the new ones; any other zone does ' +
      'not change.',
    examples: ['Europe/Oslo'],
  }),
};

export const isExact = {
  stored: Type.Boolean({
    description:
      'Whether the coordinates are those of the address. If false, they are those of its town: search maps for the ' +
      'address.',
    examples: [true],
  }),
  input: Type.Optional(
    Type.Boolean({
      description:
        'Whether the coordinates are those of the address. False: they are those of its town. True if left out, also ' +
        'when `location` changes.',
      examples: [true],
    }),
  ),
};

const locationKinds = oneOf(['place', 'later', 'online'], {
  description:
    '`place`: at `location`; `later`: at a place that is announced later; `online`. Of the last two, `location` is the town to which ' +
    'the event belongs, and its `isExact` is false. Events that are `online` are on no map.',
  examples: ['place'],
});
export const locationKind = { stored: locationKinds, input: locationKinds };

export const onlineUrl = {
  stored: nullable(Type.String({ examples: ['https://meet.example.org/potluck'] }), {
    description: 'Where people take part online; null without such an address.',
  }),
  input: nullable(httpsUrl({ examples: ['https://meet.example.org/potluck'] }), {
    description: 'The https address at which people take part online, with any `locationKind`.',
  }),
};

const addressVisibilities = oneOf(['everyone', 'going'], {
  description:
    'Who sees the exact `location` and `onlineUrl`. `going`: the organizer, admins, and people whose RSVP is `going` or who have ' +
    'seats. All others see a `location` about a kilometre around, with the name of the town. Anyone may answer `going` where the ' +
    'organizer does not approve guests: it is discretion, no secret.',
  examples: ['everyone'],
});
export const addressVisibility = { stored: addressVisibilities, input: addressVisibilities };

export const price = {
  stored: Type.Number({
    description: 'In major units of `currency`; 0 is free if `isPriceKnown` is true.',
    examples: [0],
  }),
  input: Type.Unsafe<number>({
    type: 'number',
    minimum: 0,
    maximum: 1_000_000_000,
    'x-max-decimals': maxDecimals,
    description:
      'With at most as many decimals as `currency` has: none for JPY, VND and KRW, two for EUR and USD, three for KWD.',
    examples: [12.5],
  }),
};

export const isPriceKnown = {
  stored: Type.Boolean({
    description: 'Whether `price` is known. If false, `price` is 0 and does not mean that the event is free.',
    examples: [true],
  }),
  input: Type.Boolean({
    description:
      'Whether price 0 means free. If left out: true if the request has a `price`; otherwise false for a new event, ' +
      'and unchanged for an existing one. Must be true when the price is above 0.',
    examples: [true],
  }),
};

export const capacity = {
  stored: Type.Integer({ examples: [0], description: 'Seats that can be booked; 0 means no limit.' }),
  input: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: 'Seats that can be booked, at least as many as are booked; 0 means no limit.',
  }),
};

const visibilities = ['public', 'unlisted', 'private'] as const;
export const visibility = {
  stored: oneOf(visibilities),
  input: oneOf(visibilities, {
    description:
      '`public`: in lists; `unlisted`: for people with the id; `private`: for the organizer, admins and invited people.',
  }),
};

const audienceOf = (description: string) => ({
  stored: oneOf(audiences, { description: `${description}.` }),
  input: oneOf(audiences, {
    description:
      `${description}: \`organizer\` (the default): the organizer and admins; \`guests\`: also people with an RSVP, ` +
      'booking, place in the waitlist or claim; `everyone`: all who can see the event.',
  }),
});
export const guestListVisibility = audienceOf('Who may list the guests');
export const claimantVisibility = audienceOf('Who may see who brings which item');

const commentAudiences = ['guests', 'everyone'] as const;
export const commentVisibility = {
  stored: oneOf(commentAudiences, { description: 'Who may read and write comments.' }),
  input: oneOf(commentAudiences, {
    description:
      'Who may read and write comments: `guests` (the default): the organizer, admins, invited people, and people with an RSVP, ' +
      'booking, place in the waitlist or claim; `everyone`: all who can see the event read, and those with a token write.',
  }),
};

export const rsvpUntil = {
  stored: Type.Unsafe<Date | null>(
    nullable(timestamp({ examples: ['2026-12-22T22:00:00.000Z'] }), {
      description:
        'Until when people answer, inclusive: later, new RSVPs and seats, and more of them, are a 409 `rsvp_closed`. Null: until ' +
        'the event is cancelled.',
    }),
  ),
  input: nullable(
    inputTime(
      'At most `endAt`, in the years 1900 to 9999 in UTC. Null: no deadline. The organizer and admins are not bound by it.',
    ),
  ),
};

const approval = oneOf(['none', 'organizer'], {
  description:
    '`organizer`: people without an invitation ask to join, and the organizer approves or refuses. Bookings and the waitlist then ' +
    'need an RSVP of `going`. A change of the field changes no RSVP and no request; people with an RSVP count as approved.',
  examples: ['none'],
});
export const rsvpApproval = { stored: approval, input: approval };
