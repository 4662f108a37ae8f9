import { lockEach, sql, type Transaction } from '#pg';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { actAs } from '../../identity/act-as.ts';
import { readId } from '../../lib/ids.ts';
import { SeriesParams } from '../events/schemas.ts';
import { lockOccurrences } from '../events/series/occurrences.ts';
import { planOf } from '../events/series/planned-dates.ts';
import { updateSeries } from '../events/series/repo.ts';
import { requireOwnSeries } from '../events/series/visible-series.ts';
import type { EventServices } from '../events/services.ts';
import type { ItemRow } from '../items/present.ts';
import { deleteItem, insertItems, listItems, toItemValues } from '../items/repo.ts';
import type { NewItem } from '../items/schemas.ts';
import { maxSeriesValues, ReplacedItems, SeriesItems } from './schemas.ts';

export const replaceSeriesItems = defineEndpoint({
  method: 'PUT',
  path: '/v1/series/:id/items',
  summary: 'Replace the items of a series',
  description:
    'For its organizer and admins. Each coming occurrence whose list nobody has changed or claimed from gets the new items; the others ' +
    'keep theirs. Later occurrences have the new items.',
  caller: 'fresh',
  params: SeriesParams,
  body: SeriesItems,
  response: { 200: ReplacedItems },
  problems: ['series_not_found', 'not_organizer', 'item_list_full'],
  limits: { turns: 'heavy', maxBodyValues: maxSeriesValues },

  async handler({ caller, params, body }, { db, clock }: EventServices) {
    const id = readId(params.id, 'series_not_found');
    return await actAs(db, caller, async (tx, caller) => {
      const series = await requireOwnSeries(tx, id, caller);
      const now = clock();
      const before = series.items as NewItem[];
      const coming = await lockOccurrences(tx, id, sql`e.end_at > ${now}`);
      const ids = coming.map(({ id }) => id);
      await lockStock(tx, ids);
      const itemsOf = Map.groupBy(ids.length > 0 ? await listItems(tx, ids) : [], ({ eventId }) => eventId);
      const unchanged = ids.filter((eventId) => isUnchanged(itemsOf.get(eventId) ?? [], before));
      await updateSeries(tx, { ...series, items: body.items }, planOf(series, now).dueAt);
      for (const eventId of unchanged) {
        for (const { n } of itemsOf.get(eventId) ?? []) await deleteItem(tx, { eventId, n }, () => {});
        if (body.items.length > 0) await insertItems(tx, eventId, body.items.map(toItemValues), now);
      }
      return {
        status: 200,
        body: { replaced: unchanged.length, kept: ids.length - unchanged.length },
      };
    });
  },
});

/** Locks all items and their stock, so that no claim comes between the decision and the commit. */
async function lockStock(tx: Transaction, eventIds: string[]): Promise<void> {
  await lockEach(eventIds, String, (id) =>
    tx.query(sql`select 1 from items where event_id = ${id} order by n for update`),
  );
  await lockEach(eventIds, String, (id) =>
    tx.query(sql`select 1 from item_stock where event_id = ${id} order by n for update`),
  );
}

/** Whether a list has the items of the series, and no claim. */
const isUnchanged = (items: ItemRow[], ofSeries: NewItem[]): boolean =>
  items.length === ofSeries.length &&
  items.every((item, i) => {
    const planned = ofSeries[i];
    const values = planned && toItemValues(planned);
    return (
      item.claimed === 0 &&
      values !== undefined &&
      (['kind', 'title', 'description', 'emoji', 'imageUrl', 'link', 'needed'] as const).every(
        (name) => item[name] === values[name],
      )
    );
  });
