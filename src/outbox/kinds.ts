/** The kinds of notifications. */

/** Kinds that are about an event and go to all of its guests. */
export const fanOutKinds = ['eventChanged', 'eventCancelled', 'reminder'] as const;
export type FanOutKind = (typeof fanOutKinds)[number];

/** Kinds that are about a person: the sender of messages, or the follower. */
export const personKinds = ['message', 'follower'] as const;

/** Kinds that count what happens at an event, for its organizer. */
export const summaryKinds = ['rsvps', 'claims', 'bookings'] as const;
export type SummaryKind = (typeof summaryKinds)[number];

/** Kinds with a single recipient for each cause, which a job delivers. */
export type CauseKind = 'bookingConfirmed' | (typeof personKinds)[number];

export const notificationKinds = [
  ...fanOutKinds,
  'bookingConfirmed',
  ...personKinds,
  ...summaryKinds,
] as const satisfies (FanOutKind | CauseKind | SummaryKind)[];
export type NotificationKind = (typeof notificationKinds)[number];
