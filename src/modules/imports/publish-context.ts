import type { Transaction } from '#pg';

export type PublishContext = {
  organizerId: string;
  publicUrl: string;
  now: Date;
  /** Counts a new event towards the quota of the day. @throws Problem `quota_exceeded` */
  countNew?: (tx: Transaction) => Promise<void>;
};

/** `result`: what happened now, which may be less than what the comparison found, if others wrote meanwhile. */
export type Published = { eventId: string | null; result: 'added' | 'changed' | 'unchanged' };
