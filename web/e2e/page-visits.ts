/** Opens many pages, each in a tab of its own, and counts what they send. */
import type { BrowserContext, Page, Request } from '@playwright/test';

/** Between two requests of pages that are still loading. */
const quietMs = 1_000;
/** Pages that send requests for longer have not come to rest. */
const longestLoadMs = 60_000;
/** A page that sends more is closed, so that it does not hold up the others. A page needs about 100 to load. */
const maxRequests = 400;
/** Timers with shorter delays fire while the pages rest. */
const longTimerMs = 5_000;

/** `from`: the path that the tab was opened with, or the service worker of the visitor. */
export type Sent = { visitor: string; from: string; request: string };

type Tab = { visitor: string; path: string; page: Page; sent: Sent[] };

export class PageVisits {
  readonly tabs: Tab[] = [];
  readonly #contexts: BrowserContext[] = [];
  readonly #pending = new Set<Request>();
  #sent: Sent[] = [];
  #latest = performance.now();
  #isRepeated: (request: string) => boolean = () => false;

  /** Opens those of `paths` that the visitor may see. */
  async open(visitor: string, context: BrowserContext, paths: string[]): Promise<void> {
    this.#contexts.push(context);
    await context.addInitScript(collectTimers, longTimerMs);
    context.on('request', (request) => this.#begin(visitor, request));
    context.on('requestfinished', (request) => void this.#pending.delete(request));
    context.on('requestfailed', (request) => void this.#pending.delete(request));
    for (const path of paths) {
      const response = await context.request.get(path, { maxRedirects: 0 });
      if (response.status() !== 200) continue;
      const page = await context.newPage();
      this.tabs.push({ visitor, path, page, sent: [] });
      await page.goto(path).catch((error: unknown) => {
        if (!page.isClosed()) throw error;
      });
    }
  }

  /**
   * Waits until no page sends anything. Pages that send requests without end are not waited for.
   * @param isRepeated whether the request belongs to an interval
   */
  async waitForRest(isRepeated: (request: string) => boolean): Promise<void> {
    this.#isRepeated = isRepeated;
    const end = performance.now() + longestLoadMs;
    const isQuiet = () => this.#pending.size === 0 && performance.now() - this.#latest > quietMs;
    while (!isQuiet() && performance.now() < end) await sleep(100);
  }

  /** Waits. @returns what was sent meanwhile, and what the tabs have sent that were closed because of it */
  async rest(ms: number): Promise<Sent[]> {
    this.#sent = [];
    await sleep(ms);
    const closed = this.tabs.filter(({ page }) => page.isClosed());
    return [...closed.flatMap(({ sent }) => sent.slice(-maxRequests / 2)), ...this.#sent];
  }

  /** The delays in ms of the timers of each tab that repeat themselves or fire late. */
  async listTimers(): Promise<{ path: string; delays: number[] }[]> {
    const open = this.tabs.filter(({ page }) => !page.isClosed());
    return Promise.all(
      open.map(async ({ path, page }) => ({ path, delays: await page.evaluate(() => window.listTimers()) })),
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.#contexts.map((context) => context.close()));
  }

  #begin(visitor: string, request: Request): void {
    const { pathname } = new URL(request.url());
    const tab = request.serviceWorker() ? undefined : this.#tabOf(request);
    const sent = {
      visitor,
      from: tab?.path ?? 'service worker',
      request: `${request.method()} ${pathname}`,
    };
    this.#sent.push(sent);
    tab?.sent.push(sent);
    if (tab?.sent.length === maxRequests) void tab.page.close();
    if (this.#isRepeated(sent.request)) return;
    this.#latest = performance.now();
    // The stream stays open.
    if (!pathname.endsWith('/live')) this.#pending.add(request);
  }

  #tabOf(request: Request): Tab | undefined {
    const page = request.frame().page();
    return this.tabs.find((tab) => tab.page === page);
  }
}

declare global {
  interface Window {
    listTimers: () => number[];
  }
}

/** Runs in the page, before its scripts. */
function collectTimers(longTimerMs: number): void {
  const { setInterval, setTimeout, clearInterval, clearTimeout } = window;
  const delays = new Map<unknown, number>();
  window.listTimers = () => [...new Set(delays.values())];
  Object.assign(window, {
    setInterval(work: () => void, ms = 0) {
      const id = setInterval(work, ms);
      delays.set(id, ms);
      return id;
    },
    setTimeout(work: () => void, ms = 0) {
      const id = setTimeout(() => {
        delays.delete(id);
        work();
      }, ms);
      if (ms >= longTimerMs) delays.set(id, ms);
      return id;
    },
    clearInterval(id: number) {
      delays.delete(id);
      clearInterval(id);
    },
    clearTimeout(id: number) {
      delays.delete(id);
      clearTimeout(id);
    },
  });
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
