/** Changes to apply again later. They are bounded: the oldest are forgotten first. */
import type { CommittedChange } from '../../../cache/change-log.ts';

const maxChanges = 4_000;

export class LateChanges {
  readonly #changes = new Set<CommittedChange>();

  [Symbol.iterator](): Iterator<CommittedChange> {
    return this.#changes.values();
  }

  has(change: CommittedChange): boolean {
    return this.#changes.has(change);
  }

  add(changes: Iterable<CommittedChange>): void {
    for (const change of changes) {
      this.#changes.add(change);
      const [oldest] = this.#changes;
      if (oldest && this.#changes.size > maxChanges) this.#changes.delete(oldest);
    }
  }

  remove(changes: Iterable<CommittedChange>): void {
    for (const change of changes) this.#changes.delete(change);
  }

  clear(): void {
    this.#changes.clear();
  }
}
