import { getSeries, listSeriesEvents, listSeriesGuests } from '@potluck/client';
import { loadAll } from '#lib/server/collect.ts';
import { load as read } from '#lib/server/problems.ts';
import type { PageServerLoad } from './$types';

/** The sheet of a series: who comes to which of the next dates. */
export const load: PageServerLoad = async ({ locals: { api: client }, params: path }) => {
  const [series, { rows, isCut }, dates] = await Promise.all([
    read(getSeries({ client, path })),
    loadAll((query) => listSeriesGuests({ client, path, query })),
    read(listSeriesEvents({ client, path, query: { limit: 50 } })),
  ]);
  const ids = rows[0]?.answers.map(({ eventId }) => eventId) ?? [];
  return {
    id: series.id,
    title: series.title,
    dates: ids.map((id) => {
      const event = dates.data.find((date) => date.id === id);
      const answers = rows.flatMap(({ answers }) => answers.find(({ eventId }) => eventId === id) ?? []);
      const people = answers.reduce(
        (sum, { status, extraGuests }) => sum + (status === 'going' ? 1 + extraGuests : 0),
        0,
      );
      return { id, startAt: event?.startAt ?? null, timezone: event?.timezone, people };
    }),
    guests: rows,
    isCut,
  };
};
