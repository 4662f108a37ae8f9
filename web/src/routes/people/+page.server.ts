import { searchUsers } from '@potluck/client';
import { load as read } from '#lib/server/problems.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import type { PageServerLoad } from './$types';

const minLength = 2;
const maxLength = 100;

export const load: PageServerLoad = async ({ locals: { api, me }, url }) => {
  const q = readQuery(url).text('q').slice(0, maxLength);
  const isTooShort = q !== '' && [...q].length < minLength;
  if (!me || q === '' || isTooShort) return { q, isTooShort, people: null };
  const { data } = await read(searchUsers({ client: api, query: { q, limit: 50 } }));
  return { q, isTooShort, people: data };
};
