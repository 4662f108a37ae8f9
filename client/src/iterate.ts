/** Iterators over lists: the pages of a list, and their elements. */
import type { PageMeta } from './generated/types.gen.ts';

/** A page of a list with cursors, or of a list with page numbers. */
type ListPage = { data: unknown[] } & ({ nextCursor: string | null } | { meta: PageMeta });
type ListOperation = (options: never) => Promise<{ data?: ListPage | undefined }>;

/** The page that the operation `F` responds with. */
export type PageOf<F extends ListOperation> = NonNullable<Awaited<ReturnType<F>>['data']>;
/** An element of the list of the operation `F`. */
export type ElementOf<F extends ListOperation> = PageOf<F>['data'][number];

/**
 * Iterates over the elements of a list, from the page in `options.query` on, and requests pages as they are
 * needed. Elements that move to a later page because the list grows are not repeated. In a list with page
 * numbers, an element that moves to an earlier page because the list shrinks can be missed.
 */
export async function* iterate<F extends ListOperation>(
  operation: F,
  options: Parameters<F>[0],
): AsyncGenerator<ElementOf<F>, void, void> {
  const seen = new Set<string>();
  for await (const page of iteratePages(operation, options)) {
    for (const element of page.data) {
      const { id } = element as { id?: string };
      if ('meta' in page && id !== undefined) {
        if (seen.has(id)) continue;
        seen.add(id);
      }
      yield element;
    }
  }
}

/** Iterates over the pages of a list, from the page in `options.query` on. */
export async function* iteratePages<F extends ListOperation>(
  operation: F,
  options: Parameters<F>[0],
): AsyncGenerator<PageOf<F>, void, void> {
  const { query: firstQuery, ...rest } = options as { query?: object };
  const request = operation as unknown as (options: object) => Promise<{ data: PageOf<F> }>;
  let position: object | null = {};
  while (position) {
    const query = { ...firstQuery, ...position };
    const { data: page } = await request({ ...rest, query, throwOnError: true });
    yield page;
    position = positionAfter(page);
  }
}

/** Returns the query parameters of the next page; null after the last one. */
function positionAfter(page: ListPage): object | null {
  if ('nextCursor' in page) return page.nextCursor === null ? null : { cursor: page.nextCursor };
  const { page: number, limit, total } = page.meta;
  return page.data.length > 0 && number * limit < total ? { page: number + 1 } : null;
}
