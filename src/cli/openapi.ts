import type { Database } from '../db/client.ts';
import { ConnectionLostError } from '../db/query.ts';
import type { Config } from '../lib/config.ts';
import { buildApp } from '../server/build-app.ts';

/** No part of the document comes from the database, so the app is built with one that is unreachable. */
const refuse = () => Promise.reject(new ConnectionLostError(null));
const noDatabase: Database = {
  target: '',
  query: refuse,
  execute: refuse,
  checkOut: refuse,
  end: async () => {},
};

/** `openapi`: prints the OpenAPI document that a server with this configuration serves. */
export async function openapiCommand(config: Config): Promise<void> {
  // No response is sent, so the key is never used. A log entry in the output would make it invalid JSON.
  const secretKey = config.secretKey ?? 'unused';
  const app = await buildApp({ config: { ...config, secretKey, logLevel: 'silent' }, db: noDatabase });
  await app.ready();
  const document = `${JSON.stringify(app.swagger(), null, 2)}\n`;
  await app.close();
  // The process ends soon after the command, and a pipe takes the text in parts.
  await new Promise<void>((resolve) => process.stdout.write(document, () => resolve()));
}
