import { Type } from 'typebox';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { avatarSvg, svgResponse } from '../../http/placeholder-images.ts';
import { UserParams } from './schemas.ts';
import { readUserId } from './user-id.ts';

export const getAvatar = defineEndpoint({
  method: 'GET',
  path: '/v1/users/:id/avatar.svg',
  summary: 'The generated avatar',
  description: 'Drawn from the id alone, so it tells nothing and never changes.',
  caller: 'none',
  uncached: true,
  params: UserParams,
  response: { 200: Type.String({ description: 'An SVG image.' }) },
  problems: ['user_not_found'],

  handler: ({ params }) => svgResponse(avatarSvg(readUserId(params.id))),
});
