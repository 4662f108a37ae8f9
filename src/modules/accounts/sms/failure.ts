import { Problem } from '../../../lib/errors.ts';

/**
 * Why the service did not confirm a message. After `timeout` and `lost`, which is a connection that closed before the
 * response, the message may still be delivered.
 */
export const smsFailures = ['refused', 'unreachable', 'timeout', 'lost'] as const;
export type SmsFailureReason = (typeof smsFailures)[number];

const maxReply = 500;

/** The service did not confirm a message: a problem `sms_unavailable`. */
export class SmsFailure extends Problem {
  readonly reason: SmsFailureReason;
  /** The only fields of the service's error that may be logged: its text contains the phone number and the message. */
  readonly logged: { status: number | undefined; code: unknown };

  /** Private, so that no log of the error has it. */
  readonly #reply: string;

  constructor(reason: SmsFailureReason, logged: SmsFailure['logged'], reply: string | null = null) {
    super('sms_unavailable', { retryAfter: 60 });
    this.reason = reason;
    this.logged = logged;
    this.#reply = (reply ?? '').slice(0, maxReply);
  }

  /** The words of the service, for the operator alone: they may contain the number and the message. */
  get reply(): string {
    return this.#reply;
  }

  get mayBeDelivered(): boolean {
    return this.reason === 'timeout' || this.reason === 'lost';
  }
}
