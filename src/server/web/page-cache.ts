/**
 * Caches pages for visitors who are not signed in. A cached page is valid while the API gives the same responses of
 * which the page was made, so every request sees what was acknowledged before it, on any server. The memory is bounded
 * in bytes: the pages that were used least recently are removed first.
 */
import { LRUCache } from 'lru-cache';
import type { Document } from '../../http/documents.ts';
import type { ApiRead } from './page-reads.ts';

/** A response of the API that a page was made of, and its version. */
export type VersionedRead = { read: ApiRead; version: string };

export type Page = Document & { status: number; headers: Record<string, string> };

/** `reads`: null if the page must not be cached. */
export type RenderedPage = { page: Page; reads: VersionedRead[] | null };

type CachedPage = { page: Page; reads: VersionedRead[]; renderedAt: number };

type Source = {
  /** The current version of a response of the API; rejects if there is none. */
  versionOf(read: ApiRead): Promise<string>;
  render(): Promise<RenderedPage>;
};

/** Texts such as "this event is over" change with the time, which changes no response of the API. */
const maxAgeMs = 30_000;
/** The key, the headers, the reads and the maps. */
const bytesOfEntry = 3_000;

/** Two compressed forms take less than the body. */
const sizeOf = ({ page }: CachedPage): number => 2 * page.body.length + bytesOfEntry;

export class PageCache {
  readonly #pages: LRUCache<string, CachedPage>;
  readonly #rendering = new Map<string, Promise<Page>>();

  constructor(maxBytes: number) {
    this.#pages = new LRUCache({ maxSize: Math.floor(maxBytes), sizeCalculation: sizeOf });
  }

  /**
   * Finds a page that is at least as new as this call, or renders it. Requests for a page that wait at the same time
   * share its rendering.
   */
  async find(key: string, source: Source): Promise<Page> {
    const cached = await this.#findCurrent(key, source);
    if (cached) return cached;
    const earlier = this.#rendering.get(key);
    if (earlier) {
      // It may have read the API before this request began.
      await earlier.catch(() => {});
      const page = await this.#findCurrent(key, source);
      if (page) return page;
    }
    return this.#rendering.get(key) ?? this.#render(key, source);
  }

  async #findCurrent(key: string, { versionOf }: Source): Promise<Page | null> {
    const cached = this.#pages.get(key);
    if (!cached || performance.now() - cached.renderedAt > maxAgeMs) return null;
    try {
      const current = await Promise.all(cached.reads.map(({ read }) => versionOf(read)));
      return cached.reads.every(({ version }, i) => version === current[i]) ? cached.page : null;
    } catch {
      // The page shows why the API refuses the request.
      return null;
    }
  }

  #render(key: string, source: Source): Promise<Page> {
    const rendering = this.#renderAndCache(key, source).finally(() => this.#rendering.delete(key));
    this.#rendering.set(key, rendering);
    return rendering;
  }

  async #renderAndCache(key: string, { render }: Source): Promise<Page> {
    const renderedAt = performance.now();
    const { page, reads } = await render();
    if (reads) this.#pages.set(key, { page, reads, renderedAt });
    else this.#pages.delete(key);
    return page;
  }
}
