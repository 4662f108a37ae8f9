/** Clients for the tests: signed in, with a record of the requests that they send. */
import {
  type Client,
  type ClientOptions,
  createClient,
  requestCode,
  type Send,
  signIn,
} from '@potluck/client';
import { nextPhone } from '../../test/support/factories.ts';
import type { TestApp } from '../../test/support/setup.ts';

export type RecordedClient = {
  client: Client;
  /** The method and path of each request, with the status of its response or the error. */
  requests: { name: string; outcome: number | Error; key: string | null }[];
};

/** Creates a client that sends requests with `options.fetch`, and records them. */
export function createRecordedClient(baseUrl: string, options: ClientOptions = {}): RecordedClient {
  const requests: RecordedClient['requests'] = [];
  const send: Send = async (request) => {
    const name = `${request.method} ${new URL(request.url).pathname}`;
    const key = request.headers.get('idempotency-key');
    try {
      const response = await (options.fetch ?? fetch)(request);
      requests.push({ name, outcome: response.status, key });
      return response;
    } catch (error) {
      requests.push({ name, outcome: error as Error, key });
      throw error;
    }
  };
  return { client: createClient({ baseUrl, ...options, fetch: send }), requests };
}

/** Signs a new person in. The returned record begins after the sign-in. */
export async function createSignedInClient(
  api: TestApp,
  { baseUrl = api.url, ...options }: ClientOptions = {},
): Promise<RecordedClient & { userId: string }> {
  const { client, requests } = createRecordedClient(baseUrl, options);
  const userId = await signInNewPerson(client);
  requests.length = 0;
  return { client, requests, userId };
}

export async function signInNewPerson(client: Client): Promise<string> {
  const phone = nextPhone();
  const { data: sent } = await requestCode({ client, body: { phone } });
  const { data } = await signIn({ client, body: { phone, code: sent.devCode ?? '' } });
  return data.user.id;
}
