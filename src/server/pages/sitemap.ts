/** The sitemap: the pages of public events that have not ended. */
import { LRUCache } from 'lru-cache';
import type { Database } from '../../db/client.ts';
import { sql } from '../../db/sql.ts';
import type { App } from '../../http/app.ts';
import { Problem } from '../../lib/errors.ts';
import { escapeHtml } from '../../lib/escape-html.ts';
import { listedCondition } from '../../modules/events/policy.ts';

/** The limit of the format. A file then has about 6 MB. */
const maxEntries = 50_000;
/**
 * Four files stay in memory, each for an hour: a crawler reads the files of a sitemap one after the other.
 * With `ttlResolution: 0`, the cache reads the clock for each look-up. Otherwise it uses a time for a
 * millisecond, in which a test may advance its clock.
 */
const cacheOptions = { max: 4, ttl: 3_600_000, ttlResolution: 0 };

export type PageServices = { config: { publicUrl: string }; db: Database; clock: () => Date };
type Entry = { id: string; updatedAt: Date };

/**
 * Adds `/sitemap.xml`. With more events than a file may have, it is an index of the files `/sitemap.xml?page=1` and so on.
 * The cost is bounded: a file is computed once an hour, or when other files have replaced it in memory.
 */
export function registerSitemap(
  app: App,
  { config, db, clock }: PageServices,
  entriesPerFile = maxEntries,
): void {
  const { publicUrl } = config;
  const files = new LRUCache<number, string>({
    ...cacheOptions,
    perf: { now: () => clock().getTime() },
    fetchMethod: async (page) => (page === 0 ? renderFirst() : renderEntries(await listEntries(page))),
  });

  app.get<{ Querystring: { page?: string } }>(
    '/sitemap.xml',
    { schema: { hide: true }, config: { compressed: 'page' } },
    async (request, reply) => {
      const { page = '0' } = request.query;
      const file = /^\d{1,5}$/.test(page) ? await files.fetch(Number(page)) : undefined;
      if (!file) throw new Problem('route_not_found');
      return reply
        .type('application/xml; charset=utf-8')
        .header('cache-control', 'public, max-age=3600')
        .send(file);
    },
  );

  /** The only file, or the index of all files. */
  async function renderFirst(): Promise<string> {
    const [found] = await db.query<{ count: number }>(
      sql`select count(*)::int as count from events e where ${listedCondition()} and e.end_at > ${clock()}`,
    );
    const count = Math.ceil((found?.count ?? 0) / entriesPerFile);
    if (count <= 1) return renderEntries(await listEntries(1)) || wrap('urlset', []);
    const locations = Array.from(
      { length: count },
      (_, i) => `<sitemap><loc>${escapeHtml(`${publicUrl}/sitemap.xml?page=${i + 1}`)}</loc></sitemap>`,
    );
    return wrap('sitemapindex', locations);
  }

  const listEntries = (page: number) =>
    db.query<Entry>(sql`
      select e.id, e.updated_at from events e
      where ${listedCondition()} and e.end_at > ${clock()}
      order by e.id offset ${(page - 1) * entriesPerFile} limit ${entriesPerFile}`);

  /** Empty if there are no entries. */
  function renderEntries(entries: Entry[]): string {
    if (entries.length === 0) return '';
    const urls = entries.map(
      ({ id, updatedAt }) =>
        `<url><loc>${escapeHtml(`${publicUrl}/e/${id}`)}</loc><lastmod>${updatedAt.toISOString()}</lastmod></url>`,
    );
    return wrap('urlset', urls);
  }
}

const wrap = (element: string, children: string[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${element} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n` +
  `${children.join('\n')}\n</${element}>\n`;
