/**
 * The versions of recently changed records, in bounded memory. A database can show an old row after the change log has
 * named a newer version: a replica that is behind, or another node of a cluster. A read that returns less than the
 * remembered version is too early.
 */
import { type Statement, sql } from '#pg';

/** The kind of a cached record. The numbers are in the versions of the change log. */
export type RecordKind = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;
const kindCount = 8;

/**
 * The expression that tags a version with the kind of its record. A request can contain the id of a person where that of
 * an event belongs: such a read finds nothing, and is not too early.
 */
export const taggedVersion = (kind: RecordKind, version: Statement): Statement =>
  sql`${kindCount}::bigint * ${version} + ${kind}::int`;

/** The version of a record of this kind; undefined if the tagged version is that of another kind. */
export function versionFor(kind: RecordKind, tagged: number | undefined): number | undefined {
  if (tagged === undefined || tagged === deletedVersion) return tagged;
  return tagged % kindCount === kind ? Math.floor(tagged / kindCount) : undefined;
}

/** The version of a deleted record: above that of every row, of any kind. */
export const deletedVersion = Number.POSITIVE_INFINITY;

/** A version is remembered until this many others have been, or so much time has passed, once or twice over. */
const [maxEntries, maxAgeMs] = [32_768, 150_000];

export class RecentVersions {
  #current = new Map<string, number>();
  #previous = new Map<string, number>();
  #since = performance.now();
  readonly #onForget: () => void;

  /** @param onForget called when the older half is forgotten */
  constructor(onForget = () => {}) {
    this.#onForget = onForget;
  }

  /** Remembers the version unless a higher one is known. */
  set(key: string, version: number): void {
    const known = this.get(key);
    if (this.#current.size >= maxEntries || performance.now() - this.#since > maxAgeMs) this.#forget();
    this.#current.set(key, known === undefined ? version : Math.max(known, version));
  }

  /** The highest version; undefined for a record that has not changed recently. */
  get(key: string): number | undefined {
    return this.#current.get(key) ?? this.#previous.get(key);
  }

  *[Symbol.iterator](): IterableIterator<[key: string, version: number]> {
    for (const [key, version] of this.#previous) if (!this.#current.has(key)) yield [key, version];
    yield* this.#current;
  }

  clear(): void {
    this.#current.clear();
    this.#previous.clear();
  }

  #forget(): void {
    this.#previous = this.#current;
    this.#current = new Map();
    this.#since = performance.now();
    this.#onForget();
  }
}

/**
 * Whether a read returned what the change log requires.
 * @param required the version that the change log named last, as `RecentVersions.get` returns it
 * @param found the version that was read; null for a record that does not exist
 */
export function isCurrent(required: number | undefined, found: number | null): boolean {
  if (required === undefined) return true;
  return found === null ? required === deletedVersion : found >= required;
}
