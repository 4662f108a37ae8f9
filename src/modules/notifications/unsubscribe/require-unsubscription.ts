import { Type } from 'typebox';
import type { ReadyConfig } from '../../../config/config.ts';
import { invalid } from '../../../lib/errors.ts';
import { readUnsubscribeToken, type Unsubscription } from './unsubscribe-tokens.ts';

export const TokenQuery = Type.Object({
  token: Type.String({
    maxLength: 200,
    description: 'The token of the mail.',
    examples: ['reminder.AZei9GweejSaUS8MigcA4dVw3KXb1gWgk2Zt8m0cQ9M'],
  }),
});

/** @throws Problem `invalid_request` */
export function requireUnsubscription(
  { secretKey }: Pick<ReadyConfig, 'secretKey'>,
  token: string,
): Unsubscription {
  const unsubscription = readUnsubscribeToken(secretKey, token);
  if (!unsubscription) throw invalid('token', 'must be the token of a mail');
  return unsubscription;
}
