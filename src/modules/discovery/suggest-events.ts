import { defineEndpoint } from '../../http/define-endpoint.ts';
import { invalid } from '../../lib/errors.ts';
import { words } from '../../lib/text.ts';
import { attribution } from '../places/attribution.ts';
import { EventSuggestions, SuggestionQuery } from './schemas.ts';
import type { DiscoveryServices } from './services.ts';

/** Each may cost several counts. */
const maxWords = 10;

export const suggestEvents = defineEndpoint({
  method: 'GET',
  path: '/v1/events/suggest',
  summary: 'Suggest what to search for',
  description:
    'For one field "What or where", while a person types. Lists are empty where nothing fits `q`. Counts are those of ' +
    'the list that a suggestion leads to, for the same caller.',
  caller: 'optional',
  query: SuggestionQuery,
  response: { 200: EventSuggestions },

  async handler({ caller, query: { q }, request }, { suggest }: DiscoveryServices) {
    if (q.trim() === '') throw invalid('q', 'must not be empty', 'required');
    const searched = [...new Set(words(q))];
    if (searched.length > maxWords) throw invalid('q', `must have at most ${maxWords} different words`);
    const data = await suggest({ q, searched, viewer: caller, address: request.ip });
    return { status: 200, body: { data, attribution } };
  },
});
