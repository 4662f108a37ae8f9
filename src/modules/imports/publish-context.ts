import type { Transaction } from '#pg';

export type PublishContext = {
  organizerId: string;
  publicUrl: string;
  now: Date;
  /** Counts a new event towards the quota of the day. @throws Problem `quota_exceeded` */
  countNew?: (tx: Transaction) => Promise<void>;
  /** Whether a source publishes it by itself. Fields that were changed here stay, also if that happened since the comparison. */
  isAutomatic?: boolean;
};

/** `result`: what happened now, which may be less than what the comparison found, if others wrote meanwhile. */
export type Published = { eventId: string | null; result: 'added' | 'changed' | 'unchanged' };
