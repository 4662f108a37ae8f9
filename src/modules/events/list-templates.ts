import { Type } from 'typebox';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { ref } from '../../http/schemas.ts';
import { templates } from './catalogue.ts';
import { Template } from './schemas.ts';

export const listTemplates = defineEndpoint({
  method: 'GET',
  path: '/v1/templates',
  operationId: 'listTemplates',
  tag: 'Events',
  summary: 'List the templates of events',
  description: 'A fixed list. New events have a `slug` of this list as `template`.',
  access: 'public',
  response: { 200: Type.Object({ data: Type.Array(ref(Template)) }) },

  handler: () => ({ status: 200, body: { data: [...templates] } }),
});
