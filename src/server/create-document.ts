import type { Database } from '../db/client.ts';
import { ConnectionLostError } from '../db/query.ts';
import type { Config } from '../lib/config.ts';
import { buildApp } from './build-app.ts';

/** No part of the document comes from the database, so the app is built with one that is unreachable. */
const refuse = () => Promise.reject(new ConnectionLostError(null));
const noDatabase: Database = {
  target: '',
  query: refuse,
  execute: refuse,
  isDistributed: refuse,
  checkOut: refuse,
  pools: () => ({}),
  end: async () => {},
};

/** Creates the OpenAPI document that a server with this configuration serves. */
export async function createDocument(config: Config): Promise<object> {
  // No response is sent, so the key is never used.
  const secretKey = config.secretKey ?? 'unused';
  const app = await buildApp({ config: { ...config, secretKey, logLevel: 'silent' }, db: noDatabase });
  await app.ready();
  const document = app.swagger();
  await app.close();
  return document;
}
