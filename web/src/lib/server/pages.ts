import { readQuery } from './read-fields.ts';

/** The position of a page of a list, as its address has it. */
export function readPage(url: URL, limit: number): { limit: number; cursor?: string } {
  const cursor = readQuery(url).text('cursor');
  return cursor ? { limit, cursor } : { limit };
}
