import { type Static, Type } from 'typebox';
import { cursorPage, cursorQuery } from '../../http/cursors.ts';
import { body, named, nullable, oneOf, prose, ref, seenPattern, timestamp } from '../../http/schemas.ts';
import { announcementStatuses } from '../../outbox/announcements.ts';
import { type Audience, audiences, guestAudiences } from '../../outbox/audiences.ts';
import { inputTime } from '../events/field.ts';
import { Person } from '../people/schemas.ts';

const exampleText = 'The quay is closed, so we meet at the lighthouse.\nBring warm clothes!';

const text = prose(2_000, {
  minLength: 1,
  format: 'visible-text',
  pattern: seenPattern,
  description: 'Any number of lines. At least one character must be visible.',
  examples: [exampleText],
});

const audienceList = oneOf(audiences, {
  description:
    '`going`: people with an RSVP of `going` or with seats. `interested`: people with that RSVP. `waiting`: the waitlist. ' +
    '`requesting`: people who asked to join. `unanswered`: accounts that were invited and have not answered. `claimants`: people with a claim.',
});
const audience = Type.Array(audienceList, {
  minItems: 1,
  maxItems: audiences.length,
  uniqueItems: true,
  description: 'The lists of people who get the announcement and may read it.',
  examples: [guestAudiences],
});

const sendAt = inputTime('When it is sent: from now to the end of the event.');

export const NewAnnouncement = body(
  {
    text,
    audience: Type.Optional(audience),
    sendAt: Type.Optional(sendAt),
  },
  { examples: [{ text: exampleText, audience: ['going', 'waiting'] }] },
);

export type NewAnnouncement = Static<typeof NewAnnouncement>;

export const AnnouncementChange = Type.Partial(body({ text, audience, sendAt }), {
  additionalProperties: false,
  examples: [{ text: exampleText }],
});
export type AnnouncementChange = Static<typeof AnnouncementChange>;

export const Announcement = named(
  'Announcement',
  Type.Object({
    id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6dea01'] }),
    author: ref(Person),
    text: Type.String({ examples: [exampleText] }),
    audience: Type.Array(oneOf(audiences), { examples: [guestAudiences] }),
    status: oneOf(announcementStatuses, {
      description:
        '`missed`: it was not sent at `sendAt`, because the event was cancelled or hidden, its author was suspended or no ' +
        'longer had the right, or no server ran until two hours later.',
      examples: ['sent'],
    }),
    sendAt: timestamp(),
    sentAt: nullable(timestamp()),
    editedAt: nullable(timestamp(), { description: 'When the text changed last.' }),
    createdAt: timestamp(),
    recipients: Type.Optional(
      nullable(Type.Integer({ examples: [14] }), {
        description:
          'For the organizer and admins: how many people were in the lists when it was sent, its author left out. Null until then.',
      }),
    ),
  }),
);
export type Announcement = Static<typeof Announcement>;

export const AnnouncementPage = cursorPage(Announcement);
export const AnnouncementQuery = Type.Object(cursorQuery);
export const AnnouncementParams = Type.Object({
  id: Type.String({
    description: "The announcement's id.",
    examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6dea01'],
  }),
});

export const RecipientsQuery = Type.Object({
  audience: Type.Optional(
    Type.String({
      pattern: `^(?:${audiences.join('|')})(?:,(?:${audiences.join('|')})){0,${audiences.length - 1}}$`,
      description: `The lists, separated by commas. Default: \`${guestAudiences.join(',')}\`.`,
      examples: ['going,waiting'],
    }),
  ),
});
export const Recipients = named(
  'AnnouncementRecipients',
  Type.Object({ recipients: Type.Integer({ examples: [14] }) }),
);

/** The schema has checked the names. */
export const readAudience = (names: string): Audience[] => [...new Set(names.split(',') as Audience[])];
