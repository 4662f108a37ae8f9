import { type ListedBooking, listBookings } from '@potluck/client';
import { collect } from '#lib/server/organizer/collect.ts';
import { load as read } from '#lib/server/problems.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals: { api: client }, params: { id } }) => {
  const readAll = (status: ListedBooking['status']) =>
    collect((query) => listBookings({ client, path: { id }, query: { ...query, status } }));
  const [booked, waiting] = (
    await read(Promise.all([readAll('booked'), readAll('waiting')]).then((data) => ({ data })))
  ).map(({ rows, isCut }) => ({ isCut, rows, seats: rows.reduce((sum, { seats }) => sum + seats, 0) }));
  return { booked, waiting };
};
