import { type Client, type Item, iteratePages, listItemClaims, listItems } from '@potluck/client';
import { m } from '#lib/paraglide/messages.js';
import { byteOrderMark, toCsv } from '#lib/server/organizer/csv.ts';
import { requireOwnEvent } from '#lib/server/organizer/require-own-event.ts';
import { load } from '#lib/server/problems.ts';
import type { RequestHandler } from './$types';

/** One row for each claim, and one for each item without claims. The rows are sent as they are read. */
export const GET: RequestHandler = async ({ locals, params, url }) => {
  await requireOwnEvent(locals, params.id, url);
  const { data: items } = await load(listItems({ client: locals.api, path: { id: params.id } }));
  const kinds = { bring: m.organizer_kind_bring(), wish: m.organizer_kind_wish() };
  const head = [
    m.organizer_csv_item(),
    m.organizer_csv_kind(),
    m.organizer_csv_needed(),
    m.organizer_csv_claimed(),
    m.organizer_csv_person(),
    m.organizer_csv_quantity(),
  ];
  return new Response(toStream(writeTable(locals.api, head, items, kinds)), {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="who-brings-what.csv"',
    },
  });
};

const query = { limit: 50 };

async function* writeTable(
  client: Client,
  head: string[],
  items: Item[],
  kinds: Record<string, string>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(byteOrderMark + toCsv([head]));
  for (const item of items) {
    const columns = [item.title, kinds[item.kind] ?? item.kind, item.quantityNeeded, item.quantityClaimed];
    if (item.quantityClaimed === 0) yield encoder.encode(toCsv([[...columns, '', '']]));
    else
      for await (const { data } of iteratePages(listItemClaims, { client, path: { id: item.id }, query }))
        yield encoder.encode(toCsv(data.map(({ user, quantity }) => [...columns, user.name, quantity])));
  }
}

/** Reads on as the client receives. */
const toStream = (chunks: AsyncGenerator<Uint8Array>): ReadableStream =>
  new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
