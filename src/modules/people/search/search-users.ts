import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { listOf } from '../../../http/schemas.ts';
import { invalid } from '../../../lib/errors.ts';
import { normalize } from '../../../lib/user-texts/normalize.ts';
import { toFoundUser } from '../present.ts';
import { FoundUser, UserSearchQuery } from '../schemas.ts';
import type { PeopleServices } from '../services.ts';
import { userSearchTerm } from './patterns.ts';

export const searchUsers = defineEndpoint({
  method: 'GET',
  path: '/v1/users/search',
  summary: 'Search people by name or username',
  description: 'Leaves out people whom the caller blocked or who blocked the caller.',
  caller: 'fresh',
  query: UserSearchQuery,
  response: { 200: listOf(FoundUser) },

  async handler({ caller, query }, { profiles, config }: PeopleServices) {
    const term = readTerm(query.q);
    const rows = await profiles.search({ callerId: caller.id, term, atMost: query.limit });
    const data = rows.map((row) => toFoundUser(row, config.publicUrl));
    return { status: 200, body: { data } };
  },
});

/** Both the typed and the folded term need two characters: ß is one character that is folded to ss. */
function readTerm(q: string): string {
  const term = userSearchTerm(q);
  const length = Math.min([...normalize(q, 'NFC').trim()].length, [...term].length);
  if (length < 2) throw invalid('q', 'must have at least 2 characters', 'min_length', 2);
  return term;
}
