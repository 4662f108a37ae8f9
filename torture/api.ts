/** A world's servers behind what the tests call an app: every answer is held against the OpenAPI document. */
import { type Contract, readContract } from '../test/contract.ts';
import { type Api, type ApiResponse, type CallOptions, httpVerbs } from '../test/setup.ts';
import type { Environment } from './environment.ts';

export async function openApi(
  environment: Environment,
): Promise<Api & { contract: Contract; document: OpenApi }> {
  const { body: document } = await environment.client.ask('GET', '/openapi.json');
  const contract = readContract(document);
  const call = async (
    method: string,
    path: string,
    { token, body, headers, raw }: CallOptions = {},
  ): Promise<ApiResponse> => {
    const asked = await environment.client.ask(method, path, {
      ...(token !== undefined && { token }),
      ...(body !== undefined && { body }),
      ...(headers && { headers }),
      ...(raw !== undefined && { raw }),
    });
    const answer = { ...asked, headers: webHeaders(asked.headers) };
    contract.check(method, path, answer);
    return answer;
  };
  return {
    contract,
    document,
    call,
    ...httpVerbs(call),
    sql: environment.sql,
    // The servers' answers carry the codes.
    sent: [],
  };
}

export type OpenApi = { paths: Record<string, Record<string, unknown>> };

export function webHeaders(headers: Record<string, string | string[] | undefined>): Headers {
  const known = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  );
  return new Headers(known);
}
