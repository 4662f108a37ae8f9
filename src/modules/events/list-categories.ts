import { defineEndpoint } from '../../http/define-endpoint.ts';
import { listOf } from '../../http/schemas.ts';
import { categories } from './catalogue.ts';
import { Category } from './catalogue-schemas.ts';

export const listCategories = defineEndpoint({
  method: 'GET',
  path: '/v1/categories',
  summary: 'List the categories of events',
  description: 'A fixed list. Events and filters have a `slug` of this list as `category`.',
  caller: 'none',
  uncached: true,
  response: { 200: listOf(Category) },

  handler: () => ({ status: 200, body: { data: [...categories] } }),
});
