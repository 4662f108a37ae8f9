import { unreachableDatabase } from '#pg';
import type { Config } from '../config/config.ts';
import { buildApp } from './build-app.ts';

/**
 * Creates the OpenAPI document that a server with this configuration serves. No part of the document comes from the
 * database.
 */
export async function createDocument(config: Config): Promise<object> {
  // No response is sent, so the key is never used.
  const secretKey = config.secretKey ?? 'unused';
  const app = await buildApp({
    config: { ...config, secretKey, logLevel: 'silent' },
    db: unreachableDatabase,
  });
  await app.ready();
  const document = app.swagger();
  await app.close();
  return document;
}
