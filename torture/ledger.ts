/**
 * Tracks the quantity that each person has claimed of each item, from the responses. The state of a claim is
 * unknown between request and response, so a list that is read in between may contain the claim or not.
 */
type LedgerClaim = {
  quantity: number;
  /**
   * The times of the request, its response, the request that ends the claim, and its response; default:
   * infinity.
   */
  requestedAt: number;
  createdAt: number;
  endRequestedAt: number;
  endedAt: number;
};
/** A value of `quantityNeeded`, from its request until the response that acknowledges the next value. */
type Need = { quantity: number; requestedAt: number; endedAt: number };
type Item = { claims: Set<LedgerClaim>; needs: Set<Need>; isBeingDeleted: boolean; isDeleted: boolean };
type Listed = { id: string; quantityNeeded: number; quantityClaimed: number };

/**
 * Longer than any request. No list that is still to be read contains a claim that ended earlier than this.
 */
const retentionMs = 40_000;
const never = Number.POSITIVE_INFINITY;

export class Ledger {
  readonly #items = new Map<string, Item>();
  /** The acknowledged claims, by person and item. */
  readonly #acknowledged = new Map<string, Map<string, LedgerClaim>>();

  add(item: string, needed: number): void {
    const needs = new Set([{ quantity: needed, requestedAt: 0, endedAt: never }]);
    this.#items.set(item, { claims: new Set(), needs, isBeingDeleted: false, isDeleted: false });
  }

  /**
   * Records a request that changes `quantityNeeded`; one at a time for an item.
   * @returns functions of which one must be called after the response
   */
  setNeeded(item: string, quantity: number): { succeeded(): void; refused(): void; unknown(): void } {
    const { needs } = this.#item(item);
    const before = [...needs];
    const need: Need = { quantity, requestedAt: performance.now(), endedAt: never };
    needs.add(need);
    return {
      succeeded: () => {
        for (const old of before) old.endedAt = Math.min(old.endedAt, performance.now());
      },
      refused: () => needs.delete(need),
      // Both values remain possible.
      unknown: () => {},
    };
  }

  /** Records a request that deletes an item: from now on, the item and its claims may be missing. */
  beginDelete(item: string): void {
    this.#item(item).isBeingDeleted = true;
  }

  remove(item: string): void {
    this.#item(item).isDeleted = true;
    for (const claims of this.#acknowledged.values()) claims.delete(item);
  }

  isBeingDeleted(item: string): boolean {
    return this.#item(item).isBeingDeleted;
  }

  claimsOf(person: string): string[] {
    return [...(this.#acknowledged.get(person)?.keys() ?? [])];
  }

  /**
   * Records a request that creates a claim.
   * @returns functions of which one must be called after the response
   */
  beginClaim(item: string, person: string, quantity: number): { succeeded(): void; refused(): void } {
    const { claims } = this.#item(item);
    const requestedAt = performance.now();
    const claim: LedgerClaim = {
      quantity,
      requestedAt,
      createdAt: never,
      endRequestedAt: never,
      endedAt: never,
    };
    claims.add(claim);
    return {
      succeeded: () => {
        claim.createdAt = performance.now();
        if (this.#item(item).isDeleted) return;
        const byItem = this.#acknowledged.get(person) ?? new Map<string, LedgerClaim>();
        this.#acknowledged.set(person, byItem.set(item, claim));
      },
      refused: () => claims.delete(claim),
    };
  }

  quantityOf(item: string, person: string): number {
    return this.#acknowledged.get(person)?.get(item)?.quantity ?? 0;
  }

  /**
   * Records a request that changes the quantity of a claim: until the response, both quantities are possible.
   */
  changeClaim(
    item: string,
    person: string,
    quantity: number,
  ): { succeeded(): void; refused(): void; notFound(): void } {
    const before = this.#acknowledged.get(person)?.get(item);
    const end = this.endClaim(item, person);
    const after = this.beginClaim(item, person, quantity);
    return {
      succeeded: () => {
        end(true);
        after.succeeded();
      },
      refused: () => {
        after.refused();
        if (before) before.endRequestedAt = never;
      },
      notFound: () => {
        after.refused();
        end(true);
      },
    };
  }

  /**
   * Records a request that ends a claim.
   * @returns to be called after the response: whether the claim has ended
   */
  endClaim(item: string, person: string): (isCertain: boolean) => void {
    const claim = this.#acknowledged.get(person)?.get(item);
    if (!claim) throw new Error(`${person} has no claim on ${item}`);
    claim.endRequestedAt = performance.now();
    return (isCertain) => {
      if (isCertain) claim.endedAt = performance.now();
      this.#acknowledged.get(person)?.delete(item);
    };
  }

  /**
   * To be called before the request of a list.
   * @param expected ids of the items that exist now
   * @returns to be called with the list: whether its quantities are possible at some time since then
   */
  expectList(expected: string[]): (list: Listed[]) => boolean {
    const since = performance.now();
    const deleted = new Set([...this.#items].filter(([, item]) => item.isDeleted).map(([id]) => id));
    return (list) => {
      const listed = new Set(list.map(({ id }) => id));
      const isComplete = expected.every((id) => listed.has(id) || this.#item(id).isBeingDeleted);
      return (
        isComplete &&
        list.every((item) => !deleted.has(item.id) && this.#isPossible(item, since, performance.now()))
      );
    };
  }

  #isPossible({ id, quantityNeeded, quantityClaimed }: Listed, since: number, now: number): boolean {
    const item = this.#items.get(id);
    // The item was created and listed before the response to its creation arrived.
    if (!item) return quantityClaimed === 0;
    const isNeeded = [...item.needs].some(
      ({ quantity, requestedAt, endedAt }) =>
        quantity === quantityNeeded && requestedAt <= now && endedAt > since,
    );
    for (const need of item.needs) if (need.endedAt < now - retentionMs) item.needs.delete(need);
    let [min, max] = [0, 0];
    for (const claim of item.claims) {
      const { quantity, requestedAt, createdAt, endRequestedAt, endedAt } = claim;
      if (createdAt <= since && endRequestedAt > now) min += quantity;
      if (requestedAt <= now && endedAt > since) max += quantity;
      if (endedAt < now - retentionMs) item.claims.delete(claim);
    }
    return isNeeded && quantityClaimed >= min && quantityClaimed <= Math.min(max, quantityNeeded);
  }

  #item(id: string): Item {
    const item = this.#items.get(id);
    if (!item) throw new Error(`unknown item ${id}`);
    return item;
  }
}
