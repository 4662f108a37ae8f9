/** The changes that an index has not applied yet, in the order of the change log. */
import type { CommittedChange } from '../../../cache/change-log.ts';
import { singleFlight } from '../../../lib/single-flight.ts';

export class PendingChanges {
  readonly #apply: (changes: CommittedChange[]) => Promise<void>;
  #changes: CommittedChange[] = [];
  /** The number of all changes until now, and of those that are applied or cleared. */
  #added = 0;
  #applied = 0;
  readonly #applyShared = singleFlight(() => this.#applyOnce());

  /** @param apply applies changes to the index; they stay pending if it throws */
  constructor(apply: (changes: CommittedChange[]) => Promise<void>) {
    this.#apply = apply;
  }

  add(changes: Iterable<CommittedChange>): void {
    const before = this.#changes.length;
    this.#changes.push(...changes);
    this.#added += this.#changes.length - before;
  }

  clear(): void {
    this.#changes = [];
    this.#applied = this.#added;
  }

  /**
   * Applies all changes that were added before the call. Several callers share one run.
   * @throws the error of `apply`
   */
  async applyAll(): Promise<void> {
    const added = this.#added;
    while (this.#applied < added) await this.#applyShared();
  }

  async #applyOnce(): Promise<void> {
    const changes = this.#changes;
    const { length } = changes;
    await this.#apply(changes.slice());
    // They may have been cleared meanwhile.
    if (changes !== this.#changes) return;
    changes.splice(0, length);
    this.#applied += length;
  }
}
