/** Lists of the API that a page shows as a whole. */
import { load } from '#lib/server/problems.ts';

type Page<T> = { data: { data: T[]; nextCursor: string | null } };

/** In pages: a longer list is cut. */
const maxPages = 40;
export const pageSize = 50;

/** Reads the pages of a list. `isCut`: the list goes on. */
export async function collect<T>(
  readPage: (query: { limit: number; cursor?: string }) => Promise<Page<T>>,
): Promise<{ rows: T[]; isCut: boolean }> {
  const rows: T[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < maxPages; page++) {
    const { data } = await readPage({ limit: pageSize, ...(cursor !== null && { cursor }) });
    rows.push(...data.data);
    cursor = data.nextCursor;
    if (cursor === null) break;
  }
  return { rows, isCut: cursor !== null };
}

/** Reads a list for a page. @throws as `load` (problems.ts) */
export const loadAll = <T>(readPage: Parameters<typeof collect<T>>[0]): ReturnType<typeof collect<T>> =>
  load(collect(readPage).then((data) => ({ data })));
