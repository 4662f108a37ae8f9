/** The sitemap: the pages of public events that have not ended. */
import { LRUCache } from 'lru-cache';
import { singleFlight } from '#base';
import { type Database, sql } from '#pg';
import type { App } from '../../http/app.ts';
import { Problem } from '../../lib/errors.ts';
import { escapeHtml } from '../../lib/escape-html.ts';
import { listedCondition } from '../../modules/events/policy.ts';

/** The limit of the format. A file then has about 6 MB. */
const maxEntries = 50_000;
/** Four files stay in memory, and the index, each for an hour: a crawler reads the files of a sitemap one after the other. */
const lifetimeMs = 3_600_000;
/**
 * With `ttlResolution: 0`, the cache reads the clock for each look-up. Otherwise it uses a time for a
 * millisecond, in which a test may advance its clock.
 */
const cacheOptions = { max: 4, ttl: lifetimeMs, ttlResolution: 0 };

export type PageServices = { config: { publicUrl: string }; db: Database; clock: () => Date };
type Entry = { id: string; updatedAt: Date };
/** `starts`: the first event of each file. */
type SitemapIndex = { starts: string[]; readAt: Date };

/**
 * Adds `/sitemap.xml`. With more events than a file may have, it is an index of the files `/sitemap.xml?page=1` and so on.
 * The cost is bounded: a file is computed once an hour, or when other files have replaced it in memory, and a file that the index
 * does not have is refused before anything is computed or replaced.
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
    fetchMethod: async (page) => renderFile(await index.read(), page),
  });
  const index = createIndex(async () => ({ starts: await listStarts(), readAt: clock() }), clock);

  app.get<{ Querystring: { page?: string } }>(
    '/sitemap.xml',
    { schema: { hide: true }, config: { compressed: 'page' } },
    async (request, reply) => {
      const { page = '0' } = request.query;
      const { starts } = await index.read();
      const isPresent =
        page === '0' || (/^\d{1,5}$/.test(page) && Number(page) <= Math.max(starts.length, 1));
      const file = isPresent ? await files.fetch(Number(page)) : undefined;
      if (!file) throw new Problem('route_not_found');
      return reply
        .type('application/xml; charset=utf-8')
        .header('cache-control', 'public, max-age=3600')
        .send(file);
    },
  );

  /** Page 0 is the only file, or the index of all files. */
  async function renderFile({ starts }: SitemapIndex, page: number): Promise<string> {
    if (page > 0 || starts.length <= 1)
      return renderEntries(await listEntries(starts[Math.max(page, 1) - 1]));
    const locations = starts.map(
      (_, i) => `<sitemap><loc>${escapeHtml(`${publicUrl}/sitemap.xml?page=${i + 1}`)}</loc></sitemap>`,
    );
    return wrap('sitemapindex', locations);
  }

  const condition = () => sql`${listedCondition()} and e.end_at > ${clock()}`;

  const listStarts = async (): Promise<string[]> => {
    const rows = await db.query<{ id: string }>(sql`
      select id from (
        select e.id, row_number() over (order by e.id) as n from events e where ${condition()}
      ) e where n % ${entriesPerFile} = 1 % ${entriesPerFile} order by id`);
    return rows.map(({ id }) => id);
  };

  /** @param start undefined if there are no events */
  const listEntries = async (start: string | undefined): Promise<Entry[]> =>
    start === undefined
      ? []
      : db.query<Entry>(sql`
          select e.id, e.updated_at from events e where ${condition()} and e.id >= ${start}
          order by e.id limit ${entriesPerFile}`);

  function renderEntries(entries: Entry[]): string {
    const urls = entries.map(
      ({ id, updatedAt }) =>
        `<url><loc>${escapeHtml(`${publicUrl}/e/${id}`)}</loc><lastmod>${updatedAt.toISOString()}</lastmod></url>`,
    );
    return wrap('urlset', urls);
  }
}

/** Reads the index once in its lifetime, for all requests that wait for it. */
function createIndex(load: () => Promise<SitemapIndex>, clock: () => Date) {
  let current: SitemapIndex | null = null;
  const renew = singleFlight(async () => {
    current = await load();
    return current;
  });
  return {
    async read(): Promise<SitemapIndex> {
      const isCurrent = current && clock().getTime() - current.readAt.getTime() < lifetimeMs;
      return isCurrent && current ? current : renew();
    },
  };
}

const wrap = (element: string, children: string[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${element} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n` +
  `${children.join('\n')}\n</${element}>\n`;
