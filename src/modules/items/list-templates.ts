import { defineEndpoint } from '../../http/define-endpoint.ts';
import { templates } from '../events/catalogue.ts';
import { TemplateList } from './schemas.ts';
import { suggestedItems } from './suggested-items.ts';

/** Lists templates. It is part of the module `items`, because `events` does not know items. */
export const listTemplates = defineEndpoint({
  method: 'GET',
  path: '/v1/templates',
  tag: 'Events',
  summary: 'List the templates of events',
  description:
    'A fixed list. New events have a `slug` of this list as `template`. Each template suggests `items`, which ' +
    '`POST /v1/events/{id}/items/batch` accepts as they are; a new event has no items.',
  caller: 'none',
  uncached: true,
  response: { 200: TemplateList },

  handler: () => ({
    status: 200,
    body: { data: templates.map((template) => ({ ...template, items: suggestedItems[template.slug] })) },
  }),
});
