import { type ListedBooking, listBookings } from '@potluck/client';
import { loadAll } from '#lib/server/collect.ts';
import { pageOf, readPageNumber, rowsPerPage } from '#lib/server/numbered-pages.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals: { api: client }, params: { id }, url }) => {
  const readAll = (status: ListedBooking['status']) =>
    loadAll((query) => listBookings({ client, path: { id }, query: { ...query, status } }));
  const [booked, waiting] = await Promise.all([readAll('booked'), readAll('waiting')]);
  const { rows, page, pages } = pageOf([...booked.rows, ...waiting.rows], readPageNumber(url), rowsPerPage);
  const sectionOf = ({ rows: all, isCut }: typeof booked, status: ListedBooking['status']) => ({
    rows: rows.filter((booking) => booking.status === status),
    count: all.length,
    seats: all.reduce((sum, { seats }) => sum + seats, 0),
    isCut,
  });
  return { booked: sectionOf(booked, 'booked'), waiting: sectionOf(waiting, 'waiting'), page, pages };
};
