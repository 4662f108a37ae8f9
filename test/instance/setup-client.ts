/** Servers without an admin, and what the page of the first admin sends. */
import { openSetup } from '../../src/instance/setup-token.ts';
import { fromPage } from '../support/factories.ts';
import { type ApiResponse, secretKey, type TestApp } from '../support/setup.ts';

/** The token that each server of the database prints at its start. */
export const printToken = (api: TestApp): Promise<string> => openSetup(api.sql, secretKey);

export const setUp = (api: TestApp, token: string, more: object = {}): Promise<ApiResponse> => {
  const body = { token, displayName: 'Noor Haddad', email: 'noor@example.org', ...more };
  return api.call('POST', '/v1/setup', { body, headers: fromPage });
};

/** The value of the header `Cookie` of the browser that got a response. */
export const cookieOf = ({ headers }: ApiResponse): string =>
  headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
