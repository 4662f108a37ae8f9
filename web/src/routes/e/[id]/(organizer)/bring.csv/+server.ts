import { m } from '#lib/paraglide/messages.js';
import { loadBringList } from '#lib/server/organizer/claims.ts';
import { toCsv } from '#lib/server/organizer/csv.ts';
import { requireOwnEvent } from '#lib/server/organizer/require-own-event.ts';
import type { RequestHandler } from './$types';

/** One row for each claim, and one for each item that nobody brings. */
export const GET: RequestHandler = async ({ locals, params: { id }, url }) => {
  await requireOwnEvent(locals, id, url);
  const { items, claims } = await loadBringList(locals.api, id);
  const rows = items.flatMap((item) => {
    const kind = item.kind === 'wish' ? m.organizer_kind_wish() : m.organizer_kind_bring();
    const columns = [item.title, kind, item.quantityNeeded, item.quantityClaimed];
    const own = claims.filter(({ itemId }) => itemId === item.id);
    if (own.length === 0) return [[...columns, '', '']];
    return own.map(({ user, quantity }) => [...columns, user.name, quantity]);
  });
  const head = [
    m.organizer_csv_item(),
    m.organizer_csv_kind(),
    m.organizer_csv_needed(),
    m.organizer_csv_claimed(),
    m.organizer_csv_person(),
    m.organizer_csv_quantity(),
  ];
  return new Response(toCsv([head, ...rows]), {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="who-brings-what.csv"',
    },
  });
};
