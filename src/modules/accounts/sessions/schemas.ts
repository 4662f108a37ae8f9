import { Type } from 'typebox';
import { body, named, timestamp } from '../../../http/schemas.ts';

const pair = {
  accessToken: Type.String({
    description: 'Send it as `Authorization: Bearer …`.',
    examples: ['pa_AZei9Gwe…'],
  }),
  refreshToken: Type.String({ description: 'Valid for one refresh.', examples: ['pr_AZei9Gwe…'] }),
  tokenType: Type.Literal('Bearer'),
  expiresIn: Type.Integer({ description: 'Seconds until the access token expires.', examples: [1800] }),
};
export const TokenPair = named('TokenPair', Type.Object(pair));

export const RefreshRequest = body(
  { refreshToken: Type.String({ maxLength: 200 }) },
  { examples: [{ refreshToken: 'pr_AZel6u…' }] },
);

export const SessionParams = Type.Object({ id: Type.String() });
export const Session = named(
  'Session',
  Type.Object({
    id: Type.String(),
    isCurrent: Type.Boolean({ description: 'Whether this request was sent in this session.' }),
    userAgent: Type.String({ description: 'The `User-Agent` of the sign-in.' }),
    createdAt: timestamp(),
    refreshedAt: timestamp({
      description: 'When the tokens were refreshed; for a browser session, when a request last extended it.',
    }),
    expiresAt: timestamp({
      description: 'When the session ends unless it is refreshed, or, for a browser session, used.',
    }),
  }),
);
