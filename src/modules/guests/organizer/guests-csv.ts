import { Type } from 'typebox';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import type { Viewer } from '../../../identity/caller.ts';
import { readId } from '../../../lib/ids.ts';
import { byteOrderMark, toCsv } from '../../../lib/user-texts/csv.ts';
import { type GuestRow, listGuests } from '../../attendance/guests/repo.ts';
import { findOwnEvent } from '../../events/require-own-event.ts';
import { EventParams } from '../../events/schemas.ts';
import { listClaimsOfPeople, listItems } from '../../items/repo.ts';
import type { GuestServices } from '../services.ts';

export const downloadGuests = defineEndpoint({
  method: 'GET',
  path: '/v1/events/:id/guests.csv',
  tag: 'Events',
  summary: 'Download the guests of an event as a table',
  description:
    'For the organizer of the event and admins: the guests as GET /v1/events/{id}/guests lists them, each with the name, the status, ' +
    'the number of extra guests, what the guest brings, and the notes of these claims; no contacts. UTF-8 with a byte order mark. ' +
    'A cell that a spreadsheet would take for a formula begins with an apostrophe.',
  caller: 'fresh',
  params: EventParams,
  limits: { turns: 'heavy' },
  response: { 200: Type.String({ description: 'Comma-separated values (RFC 4180).' }) },
  compressed: 'text',
  problems: ['event_not_found', 'not_organizer'],

  async handler({ caller, params }, services: GuestServices) {
    const eventId = readId(params.id, 'event_not_found');
    await findOwnEvent(services.db, eventId, caller);
    return {
      statusCode: 200,
      contentType: 'text/csv; charset=utf-8',
      content: await writeTable(services, eventId, caller),
      headers: {
        'content-disposition': 'attachment; filename="guests.csv"',
        'cache-control': 'private, no-store',
      },
    };
  },
});

const columns = ['name', 'status', 'extra guests', 'brings', 'note'];
/** Guests of whom the claims are read at a time. */
const batchSize = 500;

async function writeTable({ db }: GuestServices, eventId: string, viewer: Viewer): Promise<string> {
  const items = await listItems(db, [eventId]);
  const titles = new Map(items.map(({ n, title }) => [n, title]));
  const parts = [byteOrderMark, toCsv([columns])];
  let after: GuestRow | null = null;
  do {
    const guests: GuestRow[] = await listGuests(db, {
      ...{ eventId, viewer, seesAll: true, status: undefined, after, limit: batchSize },
    });
    const ids = guests.map(({ id }) => id);
    const claims = Map.groupBy(await listClaimsOfPeople(db, eventId, ids), ({ userId }) => userId);
    const rows = guests.map((guest) => {
      const own = claims.get(guest.id) ?? [];
      const brings = own.map(({ n, quantity }) => `${quantity} × ${titles.get(n) ?? ''}`);
      const notes = own.flatMap(({ note }) => note ?? []);
      return [guest.name, guest.status, guest.extraGuests, brings.join('; '), notes.join('; ')];
    });
    parts.push(toCsv(rows));
    after = guests.length < batchSize ? null : (guests.at(-1) ?? null);
  } while (after);
  return parts.join('');
}
