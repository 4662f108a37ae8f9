/** The position of a page of a list, as its address has it. */
export function readPage({ searchParams }: URL, limit: number): { limit: number; cursor?: string } {
  const cursor = searchParams.get('cursor');
  return cursor ? { limit, cursor } : { limit };
}
