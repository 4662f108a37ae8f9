/** The kinds of notifications. */

/** Kinds that are about an event and go to all of its guests. */
export const fanOutKinds = ['eventChanged', 'eventCancelled', 'reminder'] as const;
export type FanOutKind = (typeof fanOutKinds)[number];

/** Kinds that are about a person: the sender of messages, or the follower. */
export const personKinds = ['message', 'follower'] as const;

/** Kinds that count what happens at an event, for its organizer. */
export const organizerKinds = ['rsvps', 'claims', 'bookings'] as const;

/** Kinds with a single recipient for each cause. */
export type CauseKind = 'bookingConfirmed' | (typeof personKinds)[number] | (typeof organizerKinds)[number];

export const notificationKinds = [
  ...fanOutKinds,
  'bookingConfirmed',
  ...personKinds,
  ...organizerKinds,
] as const satisfies (FanOutKind | CauseKind)[];
export type NotificationKind = (typeof notificationKinds)[number];
