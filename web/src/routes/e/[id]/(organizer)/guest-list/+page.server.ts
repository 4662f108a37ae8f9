import { type Guest, listGuests } from '@potluck/client';
import { pageOf, readPageNumber, rowsPerPage } from '#lib/server/numbered-pages.ts';
import { collect } from '#lib/server/organizer/collect.ts';
import { load as read } from '#lib/server/problems.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals: { api: client }, params: { id }, url }) => {
  const { rows, isCut } = await read(
    collect((query) => listGuests({ client, path: { id }, query })).then((data) => ({ data })),
  );
  const q = url.searchParams.get('q')?.trim() ?? '';
  const shown = rows.filter(({ user }) => matches(user, q));
  return { q, list: pageOf(shown, readPageNumber(url), rowsPerPage), isCut };
};

/** Whether a name or username contains a text, without regard to case and accents. */
const matches = ({ name, username }: Guest['user'], q: string): boolean =>
  [name, username].some((text) => fold(text).includes(fold(q)));

const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
