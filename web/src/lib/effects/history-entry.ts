/**
 * An entry of the browser's history for what lies over a page, so that Back closes it. It has the state of the page's own
 * entry. SvelteKit therefore ignores a move between the two, and goes on with data that it loads: it would drop them with
 * an entry of its own (`pushState` of `$app/navigation`).
 */

/** What lies over the page; null for nothing. */
let top: HistoryEntry | null = null;
/** Resolves when the browser has gone back from all entries that were left. */
let isBack: Promise<void> = Promise.resolve();

export class HistoryEntry {
  #state: 'waiting' | 'added' | 'leaving' | 'gone' = 'waiting';
  readonly #onLeave: () => void;

  /** @param onLeave is called once the entry is left: by Back, or by `leave` */
  constructor(onLeave: () => void) {
    this.#onLeave = onLeave;
    top = this;
    void isBack.then(() => {
      if (this.#state !== 'waiting') return;
      history.pushState(history.state, '');
      this.#state = 'added';
      onNextMove(() => this.#end());
    });
  }

  /** Whether a navigation would add its entry behind this one. */
  get isInHistory(): boolean {
    return this.#state === 'added' || this.#state === 'leaving';
  }

  /** Leaves the entry, unless it is left. Resolves when the browser has gone back from it. */
  leave(): Promise<void> {
    if (this.#state === 'added') {
      isBack = new Promise(onNextMove);
      this.#state = 'leaving';
      history.back();
      this.#onLeave();
    } else if (this.#state === 'waiting') {
      this.#end();
    }
    return isBack;
  }

  #end(): void {
    if (top === this) top = null;
    if (this.#state !== 'leaving') this.#onLeave();
    this.#state = 'gone';
  }
}

const onNextMove = (work: () => void): void => addEventListener('popstate', work, { once: true });

/** Leaves what lies over the page. Resolves when a navigation adds its entry behind that of the page. */
export const leaveTop = (): Promise<void> => top?.leave() ?? isBack;
