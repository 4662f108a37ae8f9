import { Problem } from '../../lib/errors.ts';

/** Maximum number of concurrent uploads of a server: their bodies are in memory. */
export const maxConcurrentUploads = 16;
/**
 * Maximum number of concurrent uploads of one person: the number of connections that browsers open to a host.
 */
export const maxConcurrentUploadsPerPerson = 6;

/** Limits concurrent uploads. An upload above a limit is refused at once instead of being queued. */
export class UploadSlots {
  readonly #perPerson = new Map<string, number>();
  #total = 0;

  /**
   * Takes a slot, which `release` returns.
   * @returns null if the slot is taken; otherwise Problem `too_many_requests` or `unavailable`
   */
  acquire(userId: string): Problem | null {
    const own = this.#perPerson.get(userId) ?? 0;
    if (own >= maxConcurrentUploadsPerPerson) return tooManyUploads();
    if (this.#total >= maxConcurrentUploads) return new Problem('unavailable', { retryAfter: 5 });
    this.#perPerson.set(userId, own + 1);
    this.#total++;
    return null;
  }

  release(userId: string): void {
    const own = (this.#perPerson.get(userId) ?? 0) - 1;
    if (own > 0) this.#perPerson.set(userId, own);
    else this.#perPerson.delete(userId);
    this.#total--;
  }
}

const tooManyUploads = () =>
  new Problem('too_many_requests', {
    detail: `At most ${maxConcurrentUploadsPerPerson} uploads of one person run at the same time.`,
    retryAfter: 2,
  });
