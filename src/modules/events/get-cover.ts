import { Type } from 'typebox';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { coverSvg, svgResponse } from '../../http/placeholder-images.ts';
import { findCategory } from './catalogue.ts';
import { readEventId } from './event-id.ts';
import { EventParams } from './schemas.ts';

export const getCover = defineEndpoint({
  method: 'GET',
  path: '/v1/events/:id/cover.svg',
  operationId: 'getCover',
  tag: 'Events',
  summary: 'Get the generated cover of an event',
  description:
    'The image depends only on the id and the category in the address, so it reveals nothing of a private event.',
  access: 'public',
  uncached: true,
  params: EventParams,
  query: Type.Object({ category: Type.Optional(Type.String({ maxLength: 100 })) }),
  response: { 200: Type.String({ description: 'An SVG image.' }) },
  problems: ['event_not_found'],

  handler: ({ params, query }) =>
    svgResponse(coverSvg(readEventId(params.id), findCategory(query.category ?? 'other').emoji)),
});
