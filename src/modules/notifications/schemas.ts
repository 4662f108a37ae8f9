import { type Static, Type } from 'typebox';
import { cursorPage, cursorQuery } from '../../http/cursors.ts';
import { anyServerText, body, named, nullable, oneOf, ref, timestamp } from '../../http/schemas.ts';
import { mailKinds } from '../../mail/kinds.ts';
import { decided } from '../../outbox/decisions.ts';
import {
  adminKinds,
  anonymousKinds,
  channelsOf,
  countedKinds,
  kinds,
  kindsWithoutEvent,
  type Level,
  type NotificationKind,
  notificationKinds,
  personKinds,
} from '../../outbox/kinds.ts';
import { EventLocation } from '../events/schemas.ts';
import { kinds as itemKinds } from '../items/schemas.ts';
import { Person } from '../people/schemas.ts';
import { changedParts } from './notices.ts';

const id = { examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0f7'] };

const title = Type.String({ examples: ['Harbour potluck'] });
const timeAndPlace = {
  startAt: timestamp(),
  endAt: timestamp(),
  allDay: Type.Boolean({ examples: [false] }),
  timezone: Type.String({ examples: ['Europe/Oslo'] }),
  location: EventLocation,
  status: oneOf(['scheduled', 'cancelled']),
};

const NotificationEvent = named(
  'NotificationEvent',
  Type.Object({
    id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1'] }),
    title,
    coverUrl: Type.String({ description: `Address of an image. ${anyServerText}` }),
    ...timeAndPlace,
  }),
);
export type NotificationEvent = Static<typeof NotificationEvent>;

const EventOfChange = named(
  'EventOfChange',
  Type.Object({
    title,
    ...timeAndPlace,
  }),
);
export type EventOfChange = Static<typeof EventOfChange>;

const BroughtItem = named(
  'BroughtItem',
  Type.Object({
    itemId: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1.1'] }),
    kind: oneOf(itemKinds, { description: '`wish`: an item of the wish list, which the caller gives.' }),
    title: Type.String({ examples: ['Sourdough bread'] }),
    emoji: Type.String({ examples: ['🍞'] }),
    quantity: Type.Integer({ examples: [2] }),
  }),
);
export type BroughtItem = Static<typeof BroughtItem>;

/** The kinds of mails in the queue. */
export const storedMailKinds = [...mailKinds, ...notificationKinds];

const described = notificationKinds.map((kind) => `\`${kind}\`: ${kinds[kind].description}. `);
const kindDescription = `${described.join('')}Clients must accept further kinds.`;
const listOfCodes = (names: string[]): string =>
  new Intl.ListFormat('en-GB').format(names.map((name) => `\`${name}\``));
/** For descriptions: the kinds that are about a person, and those for admins. */
export const codesOfPersonKinds = listOfCodes(personKinds);
export const codesOfAdminKinds = listOfCodes(adminKinds);

export const Notification = named(
  'Notification',
  Type.Object({
    id: Type.String(id),
    kind: oneOf(notificationKinds, { description: kindDescription, examples: ['reminder'] }),
    isRead: Type.Boolean({
      description:
        'Whether the notification is read. Reading the messages of a person also makes `message` read.',
      examples: [false],
    }),
    count: Type.Integer({
      description:
        'How many messages, RSVPs, claims, bookings, reports or changes the notification stands for. Those that are taken back ' +
        'before the notification is read are subtracted.',
      examples: [1],
    }),
    person: nullable(ref(Person), {
      description:
        `The sender, the follower, or the organizer of the event; null for ${listOfCodes(anonymousKinds)}; of ${listOfCodes(countedKinds)}, the person who ` +
        'caused it last. Null if that account is deleted or suspended, or a block stands between the two.',
    }),
    isFollowing: Type.Boolean({ description: 'Whether the caller follows `person`.', examples: [false] }),
    event: nullable(ref(NotificationEvent), {
      description: `The event as it is now; null for ${listOfCodes(kindsWithoutEvent)}.`,
    }),
    answer: nullable(oneOf(['going', 'interested'], { examples: ['going'] }), {
      description: 'For `rsvps`: the RSVP that `person` has now; null without one. Null for other kinds.',
    }),
    people: nullable(Type.Integer({ minimum: 1, examples: [4] }), {
      description:
        'For `rsvps` and `bookings`: the number of people, `person` included, whom the RSVP or the booking of `person` ' +
        'counts now. Null if the RSVP is `interested`, if `person` has neither, and for other kinds.',
    }),
    reason: nullable(Type.String(), {
      description: 'For `eventHidden`: why the event is hidden. Null for other kinds.',
    }),
    decision: nullable(
      Type.Object({
        what: oneOf(decided, {
          description:
            '`approved`, `refused`: your request to join. `removed`: you, from the event. `claimEnded`: your claim. ' +
            '`missed`: your announcement was not sent. Clients must accept further values.',
          examples: ['approved'],
        }),
        reason: nullable(Type.String(), { description: 'The words of the person who decided.' }),
        title: Type.String({
          description: 'The title of the event at that time.',
          examples: ['Harbour potluck'],
        }),
      }),
      {
        description:
          'For `decision`: what was decided about the caller. `event` is null if the caller may not see the event any more. ' +
          'Null for other kinds.',
      },
    ),
    changes: nullable(
      Type.Object({
        parts: Type.Array(oneOf(changedParts), {
          description: 'What differs. `map`: the point on the map, with the same address.',
          examples: [['time']],
        }),
        before: ref(EventOfChange),
        after: ref(EventOfChange),
      }),
      {
        description:
          'For `eventChanged`: the event before and after the changes, of all changes while the notification is unread. ' +
          'Null for other kinds.',
      },
    ),
    announcement: nullable(
      Type.Object({
        id: Type.String(id),
        text: Type.String({ examples: ['We move indoors. Bring slippers!'] }),
      }),
      {
        description:
          'For `eventChanged` and `eventCancelled`: the latest `message` of the organizer about the changes; null without ' +
          'one. Null for other kinds.',
      },
    ),
    invitation: nullable(Type.Object({ id: Type.String(id) }), {
      description: 'For `invitation`: the invitation. Null for other kinds.',
    }),
    bringing: Type.Array(ref(BroughtItem), {
      description: 'For `reminder`: what the caller claimed and has not given back. Empty for other kinds.',
    }),
    createdAt: timestamp({ description: 'The time of the latest cause.' }),
  }),
);
export type Notification = Static<typeof Notification>;

const unreadCount = Type.Integer({ description: 'Number of unread notifications.', examples: [3] });

export const NotificationQuery = Type.Object({
  unread: Type.Optional(
    Type.Boolean({ description: 'With `true`, only unread notifications. Default: all notifications.' }),
  ),
  ...cursorQuery,
});
export const NotificationPage = cursorPage(Notification, { unreadCount });

export const NotificationParams = Type.Object({
  id: Type.String({ description: "The notification's id.", ...id }),
});
export const ReadUpTo = body(
  {
    upTo: Type.String({
      description: 'The id of the newest notification that the person has seen.',
      ...id,
    }),
  },
  { examples: [{ upTo: '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0f7' }] },
);
export const UnreadCount = named('UnreadNotifications', Type.Object({ unreadCount }));

const level = oneOf(Object.keys(channelsOf) as Level[], {
  description:
    '`off`: no notifications of this kind. `inbox`: in the inbox. `push`: in the inbox, and as a web push. `mail`: in the ' +
    'inbox, and by mail. `all`: all three. Mails are sent to a confirmed address, by a server that sends mails.',
  examples: ['push'],
});
const levels = Object.fromEntries(notificationKinds.map((kind) => [kind, level])) as Record<
  NotificationKind,
  typeof level
>;

export const NotificationSettings = named('NotificationSettings', Type.Object(levels));
export type NotificationSettings = Static<typeof NotificationSettings>;
export const NotificationSettingsChange = Type.Partial(body(levels), {
  additionalProperties: false,
  examples: [{ follower: 'off' }],
});
