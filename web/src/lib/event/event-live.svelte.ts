/** The state of an event as its live stream reports it, on top of the data of the page. */
import type { Event, Item, LiveCounts, LiveMessage, LiveSnapshot } from '@potluck/client';

/** In ms: a page loads its data in less time. */
const maxLoadMs = 2_000;
/** In ms: a hidden page stops listening after this time. */
const hiddenMs = 60_000;
/** In ms between two loads of the page's data because of changes. */
const refreshIntervalMs = 3_000;

type Timed<T> = { value: T; at: number };

export type LiveOptions = {
  /** Loads the data of the page again: for people and texts, which the stream does not have. */
  refresh: () => void;
  /** Whether the page shows who brings what, or who comes. */
  showsPeople: () => boolean;
  onChange?: (message: LiveMessage) => void;
};

export class LiveEvent {
  /** The event of the stream: a page shows one event after another. */
  #eventId: string | null = null;
  #counts = $state.raw<Timed<LiveCounts> | null>(null);
  /** Changed items by id; null for a removed one. */
  #items = $state.raw<ReadonlyMap<string, Timed<Item | null>>>(new Map());

  /** The event with the current counts. */
  applyCounts(event: Event): Event {
    return this.#counts && event.id === this.#eventId ? { ...event, ...this.#counts.value } : event;
  }

  /**
   * The items as they are now. What only the page's data have, such as the visitor's claim, stays.
   * @param options `isWhole`: the page has all items of the event, so others of the stream are new
   */
  applyItems(eventId: string, items: Item[], options: { isSignedIn: boolean; isWhole: boolean }): Item[] {
    if (this.#items.size === 0 || eventId !== this.#eventId) return items;
    const current = items.flatMap((item) => {
      const live = this.#items.get(item.id);
      return live ? (live.value ? [combine(live.value, item)] : []) : [item];
    });
    if (!options.isWhole) return current;
    const known = new Set(items.map(({ id }) => id));
    for (const [id, { value }] of this.#items) {
      if (value && !known.has(id)) current.push(options.isSignedIn ? { ...value, myClaim: null } : value);
    }
    return current;
  }

  /**
   * Forgets what is older than new data of the page. Changes that came while the data were loaded stay: if the
   * data are newer than such a change, the stream reports that state as well.
   */
  forgetOld(now = performance.now()): void {
    const isRecent = ({ at }: { at: number }) => now - at < maxLoadMs;
    if (this.#counts && !isRecent(this.#counts)) this.#counts = null;
    const recent = [...this.#items].filter(([, item]) => isRecent(item));
    if (recent.length < this.#items.size) this.#items = new Map(recent);
  }

  apply({ event: type, data }: LiveMessage, at = performance.now()): void {
    if (type === 'snapshot') this.#applySnapshot(data, at);
    else if (type === 'counts') this.#counts = { value: data, at };
    else if (type === 'item') this.#setItem(data.id, data, at);
    else if (type === 'itemRemoved') this.#setItem(data.id, null, at);
  }

  #applySnapshot({ counts, items }: LiveSnapshot, at: number): void {
    this.#counts = { value: counts, at };
    this.#items = new Map(items.map((value) => [value.id, { value, at }]));
  }

  #setItem(id: string, value: Item | null, at: number): void {
    this.#items = new Map(this.#items).set(id, { value, at });
  }

  /** Listens until the returned function is called. A page that is hidden for long does not listen. */
  listen(eventId: string, { refresh, showsPeople, onChange }: LiveOptions): () => void {
    this.#eventId = eventId;
    this.#counts = null;
    this.#items = new Map();
    let controller: AbortController | null = null;
    let hiddenTimer: ReturnType<typeof setTimeout> | undefined;
    const refreshSoon = throttle(refresh, refreshIntervalMs);

    const start = async () => {
      if (controller) return;
      controller = new AbortController();
      const { signal } = controller;
      const { openStream, isRefusal } = await import('./event-stream.ts');
      try {
        for await (const message of openStream(eventId, signal)) {
          this.apply(message);
          onChange?.(message);
          if (message.event === 'event') refresh();
          else if (message.event !== 'snapshot' && showsPeople()) refreshSoon();
        }
      } catch (error) {
        // The page tells why.
        if (isRefusal(error)) refresh();
      }
    };
    const stop = () => {
      controller?.abort();
      controller = null;
    };
    const onVisibility = () => {
      clearTimeout(hiddenTimer);
      if (document.visibilityState === 'visible') void start();
      else hiddenTimer = setTimeout(stop, hiddenMs);
    };
    const onShow = () => void start();

    void start();
    document.addEventListener('visibilitychange', onVisibility);
    // A page in the back/forward cache has no open connection.
    addEventListener('pagehide', stop);
    addEventListener('pageshow', onShow);
    return () => {
      stop();
      refreshSoon.cancel();
      clearTimeout(hiddenTimer);
      document.removeEventListener('visibilitychange', onVisibility);
      removeEventListener('pagehide', stop);
      removeEventListener('pageshow', onShow);
    };
  }
}

/** The item of the stream, which is the same for all visitors, with what this visitor sees besides. */
const combine = (live: Item, { myClaim, claims }: Item): Item => ({
  ...live,
  ...(myClaim !== undefined && { myClaim }),
  ...(claims && { claims }),
});

/** Calls at once, and then at most once in `ms`, with a last call for those in between. */
function throttle(work: () => void, ms: number): (() => void) & { cancel: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isPending = false;
  const run = () => {
    isPending = false;
    work();
    timer = setTimeout(() => {
      timer = undefined;
      if (isPending) run();
    }, ms);
  };
  const call = () => {
    if (timer === undefined) run();
    else isPending = true;
  };
  return Object.assign(call, { cancel: () => clearTimeout(timer) });
}
