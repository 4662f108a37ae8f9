import { type Client, iteratePages, listGuests } from '@potluck/client';
import { requireOwnEvent } from '#lib/event/server/require-own-event.ts';
import { formatDay } from '#lib/language/format.ts';
import { m } from '#lib/messages/index.js';
import { csvResponse, type Row } from '#lib/server/csv.ts';
import type { RequestHandler } from './$types';

/** One row for each guest. */
export const GET: RequestHandler = async ({ locals, params, url }) => {
  const { timezone } = await requireOwnEvent(locals, params.id, url);
  const head = [
    m.organizer_csv_person(),
    m.account_username(),
    m.organizer_csv_answer(),
    m.organizer_csv_people(),
    m.organizer_csv_since(),
  ];
  return csvResponse('guests.csv', head, writeRows(locals.api, params.id, timezone));
};

async function* writeRows(client: Client, id: string, timezone: string): AsyncGenerator<Row[]> {
  const answers = { going: m.organizer_going(), interested: m.organizer_interested() };
  for await (const { data } of iteratePages(listGuests, { client, path: { id }, query: { limit: 50 } }))
    yield data.map(({ user, status, extraGuests, createdAt }) => [
      user.name,
      user.username,
      answers[status],
      extraGuests + 1,
      formatDay(createdAt, timezone),
    ]);
}
