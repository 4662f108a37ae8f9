/**
 * Who holds how much of what, as far as answers tell: of a claim that was asked for and not yet answered nobody knows,
 * so a list that is read meanwhile may have it or not. Everything else is certain.
 */
type Entry = {
  quantity: number;
  /** When it was asked for, answered, asked to end, and ended; infinity for what has not happened. */
  asked: number;
  made: number;
  ending: number;
  ended: number;
};
/** A quantity that is needed, from when it was asked for until another was answered. */
type Need = { quantity: number; asked: number; ended: number };
type Item = { entries: Set<Entry>; needs: Set<Need>; isLeaving: boolean; isGone: boolean };
type Listed = { id: string; quantityNeeded: number; quantityClaimed: number };

/** In ms; no request takes longer. What ended earlier is no more in any list that is still to come. */
const memory = 40_000;
const never = Number.POSITIVE_INFINITY;

export class Ledger {
  readonly #items = new Map<string, Item>();
  /** By person, what they have for certain, by item. */
  readonly #claims = new Map<string, Map<string, Entry>>();

  add(item: string, needed: number): void {
    const needs = new Set([{ quantity: needed, asked: 0, ended: never }]);
    this.#items.set(item, { entries: new Set(), needs, isLeaving: false, isGone: false });
  }

  /** One at a time for an item. @returns to be called with the answer */
  need(item: string, quantity: number): { made(): void; refused(): void; unknown(): void } {
    const { needs } = this.#item(item);
    const before = [...needs];
    const need: Need = { quantity, asked: performance.now(), ended: never };
    needs.add(need);
    return {
      made: () => {
        for (const old of before) old.ended = Math.min(old.ended, performance.now());
      },
      refused: () => needs.delete(need),
      // Either may be.
      unknown: () => {},
    };
  }

  /** From now on it may be gone, and its claims with it. */
  leaving(item: string): void {
    this.#item(item).isLeaving = true;
  }

  remove(item: string): void {
    this.#item(item).isGone = true;
    for (const claims of this.#claims.values()) claims.delete(item);
  }

  isGoing(item: string): boolean {
    return this.#item(item).isLeaving;
  }

  claimsOf(person: string): string[] {
    return [...(this.#claims.get(person)?.keys() ?? [])];
  }

  begin(item: string, person: string, quantity: number): { made(): void; refused(): void } {
    const { entries } = this.#item(item);
    const entry: Entry = { quantity, asked: performance.now(), made: never, ending: never, ended: never };
    entries.add(entry);
    return {
      made: () => {
        entry.made = performance.now();
        if (this.#item(item).isGone) return;
        const claims = this.#claims.get(person) ?? new Map<string, Entry>();
        this.#claims.set(person, claims.set(item, entry));
      },
      refused: () => entries.delete(entry),
    };
  }

  quantityOf(item: string, person: string): number {
    return this.#claims.get(person)?.get(item)?.quantity ?? 0;
  }

  /** Another quantity: the one ends as the other begins, both under way until the answer. */
  change(item: string, person: string, quantity: number): { made(): void; refused(): void; gone(): void } {
    const before = this.#claims.get(person)?.get(item);
    const end = this.end(item, person);
    const after = this.begin(item, person, quantity);
    return {
      made: () => {
        end(true);
        after.made();
      },
      refused: () => {
        after.refused();
        if (before) before.ending = never;
      },
      gone: () => {
        after.refused();
        end(true);
      },
    };
  }

  /** @returns to be called when the end was answered, with whether it is certain */
  end(item: string, person: string): (isCertain: boolean) => void {
    const entry = this.#claims.get(person)?.get(item);
    if (!entry) throw new Error(`${person} has nothing of ${item}`);
    entry.ending = performance.now();
    return (isCertain) => {
      if (isCertain) entry.ended = performance.now();
      this.#claims.get(person)?.delete(item);
    };
  }

  /**
   * To be called before a list is asked for.
   * @param expected ids of items that are there now
   * @returns to be called with the list: whether it may be what was there at some moment in between
   */
  look(expected: string[]): (list: Listed[]) => boolean {
    const since = performance.now();
    const gone = new Set([...this.#items].filter(([, item]) => item.isGone).map(([id]) => id));
    return (list) => {
      const listed = new Set(list.map(({ id }) => id));
      const isWhole = expected.every((id) => listed.has(id) || this.#item(id).isLeaving);
      return (
        isWhole &&
        list.every((item) => !gone.has(item.id) && this.#isPossible(item, since, performance.now()))
      );
    };
  }

  #isPossible({ id, quantityNeeded, quantityClaimed }: Listed, since: number, now: number): boolean {
    const item = this.#items.get(id);
    // One that was made and listed before its maker heard of it.
    if (!item) return quantityClaimed === 0;
    const isNeeded = [...item.needs].some(
      ({ quantity, asked, ended }) => quantity === quantityNeeded && asked <= now && ended > since,
    );
    for (const need of item.needs) if (need.ended < now - memory) item.needs.delete(need);
    let [least, most] = [0, 0];
    for (const entry of item.entries) {
      const { quantity, asked, made, ending, ended } = entry;
      if (made <= since && ending > now) least += quantity;
      if (asked <= now && ended > since) most += quantity;
      if (ended < now - memory) item.entries.delete(entry);
    }
    return isNeeded && quantityClaimed >= least && quantityClaimed <= Math.min(most, quantityNeeded);
  }

  #item(id: string): Item {
    const item = this.#items.get(id);
    if (!item) throw new Error(`nobody knows of the item ${id}`);
    return item;
  }
}
