import { type Client, type Item, iteratePages, listEventClaims, listItems } from '@potluck/client';
import { requireOwnEvent } from '#lib/event/server/require-own-event.ts';
import { m } from '#lib/messages/index.js';
import { csvResponse, type Row } from '#lib/server/csv.ts';
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
    m.organizer_csv_note(),
  ];
  return csvResponse('who-brings-what.csv', head, writeRows(locals.api, params.id, items, kinds));
};

const query = { limit: 50 };

/** The list of claims has the order of the items. */
async function* writeRows(
  client: Client,
  id: string,
  items: Item[],
  kinds: Record<string, string>,
): AsyncGenerator<Row[]> {
  const columnsOf = ({ title, kind, quantityNeeded, quantityClaimed }: Item) => [
    title,
    kinds[kind] ?? kind,
    quantityNeeded,
    quantityClaimed,
  ];
  const withoutClaims = (item: Item) => [...columnsOf(item), '', '', ''];
  const indexes = new Map(items.map((item, i) => [item.id, i]));
  /** The index of the first item without a row. */
  let next = 0;
  for await (const { data } of iteratePages(listEventClaims, { client, path: { id }, query })) {
    const rows = data.flatMap(({ itemId, user, quantity, note = '' }) => {
      const at = indexes.get(itemId);
      const item = at === undefined ? undefined : items[at];
      // It was added after the list was read.
      if (at === undefined || !item) return [];
      const passed = items.slice(next, at).map(withoutClaims);
      next = at + 1;
      return [...passed, [...columnsOf(item), user.name, quantity, note]];
    });
    yield rows;
  }
  yield items.slice(next).map(withoutClaims);
}
