import { Type } from 'typebox';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { svgResponse } from '../../http/placeholder-images.ts';
import { readId } from '../../lib/ids.ts';
import { coverSvg } from './covers/cover.ts';
import { EventParams } from './schemas.ts';

export const getCover = defineEndpoint({
  method: 'GET',
  path: '/v1/events/:id/cover.svg',
  summary: 'Get the generated cover of an event',
  description:
    'The image depends only on the id, the category and the theme in the address, so it reveals nothing of a private ' +
    'event. Without a theme, the category and the id decide.',
  caller: 'none',
  uncached: true,
  params: EventParams,
  query: Type.Object({
    category: Type.Optional(Type.String({ maxLength: 100 })),
    theme: Type.Optional(Type.String({ maxLength: 100 })),
  }),
  response: { 200: Type.String({ description: 'An SVG image.' }) },
  problems: ['event_not_found'],

  handler: ({ params, query }) =>
    svgResponse(coverSvg({ category: 'other', ...query, id: readId(params.id, 'event_not_found') })),
});
