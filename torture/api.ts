/**
 * Gives the servers of an environment the interface of the tests, and checks each response against OpenAPI.
 */

import type { Schema } from '../test/operations/openapi-operations.ts';
import { type Contract, readContract } from '../test/support/contract.ts';
import { type Api, type ApiResponse, type CallOptions, httpVerbs } from '../test/support/setup.ts';
import type { Environment } from './environment.ts';

export async function openApi(
  environment: Environment,
): Promise<Api & { contract: Contract; document: OpenApi }> {
  const { body: document } = await environment.client.send('GET', '/openapi.json');
  const contract = readContract(document);
  const call = async (
    method: string,
    path: string,
    { token, body, headers, raw }: CallOptions = {},
  ): Promise<ApiResponse> => {
    const received = await environment.client.send(method, path, {
      ...(token !== undefined && { token }),
      ...(body !== undefined && { body }),
      ...(headers && { headers }),
      ...(raw !== undefined && { raw }),
    });
    const response = { ...received, headers: webHeaders(received.headers) };
    contract.check(method, path, response);
    return response;
  };
  return {
    contract,
    document,
    call,
    ...httpVerbs(call),
    sql: environment.sql,
    // The servers send no SMS: their responses contain the codes.
    sent: [],
  };
}

export type OpenApi = {
  paths: Record<string, Record<string, unknown>>;
  components: { schemas: Record<string, Schema> };
};

export function webHeaders(headers: Record<string, string | string[] | undefined>): Headers {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  );
  return new Headers(pairs);
}
