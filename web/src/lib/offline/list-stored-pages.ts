import { pagesCache } from './stored-pages.ts';

export type StoredPage = { href: string; title: string };

/** The pages of events and of "My events" that can be opened without a connection, the newest first. */
export async function listStoredPages(): Promise<StoredPage[]> {
  if (!('caches' in globalThis)) return [];
  const cache = await caches.open(pagesCache);
  const requests = (await cache.keys()).filter(({ url }) =>
    /^\/(e\/[^/]+|mine)$/.test(new URL(url).pathname),
  );
  const pages = await Promise.all(
    requests.map(async (request) => describe(request, await cache.match(request))),
  );
  return pages.filter((page) => page !== null).reverse();
}

/** The address and the title of a stored page; null if the response is no page. */
async function describe({ url }: Request, response: Response | undefined): Promise<StoredPage | null> {
  if (!response?.headers.get('content-type')?.startsWith('text/html')) return null;
  // The title alone: the policy of this page refuses the styles in the other, which a parser reports.
  const [element = ''] = /<title>[^<]*<\/title>/.exec(await response.text()) ?? [];
  const { title } = new DOMParser().parseFromString(element, 'text/html');
  const { pathname, search } = new URL(url);
  return { href: pathname + search, title: title.replace(/ · Potluck$/, '') };
}
