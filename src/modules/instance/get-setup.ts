import { defineEndpoint } from '../../http/define-endpoint.ts';
import { findSetup } from '../../instance/setup-token.ts';
import { Problem } from '../../lib/errors.ts';
import { hasAdmin } from '../accounts/admins.ts';
import { countingFailures } from '../accounts/codes/failure-limit.ts';
import { InstanceSettings, SetupQuery } from './schemas.ts';
import type { InstanceServices } from './services.ts';
import { readSettings } from './settings.ts';

export const getSetup = defineEndpoint({
  method: 'GET',
  path: '/v1/setup',
  summary: 'Get the settings for the first admin',
  description: 'For the page that the server prints at its start, until it has an admin.',
  caller: 'none',
  uncached: true,
  query: SetupQuery,
  response: { 200: InstanceSettings },
  problems: ['setup_closed', 'too_many_tries'],

  async handler({ query, request }, services: InstanceServices) {
    await requireSetup(services, request, query.token);
    return { status: 200, body: await readSettings(services) };
  },
});

/**
 * Counts wrong tokens while one is valid.
 * @throws Problem `setup_closed`, `too_many_tries`
 */
export async function requireSetup(
  services: InstanceServices,
  request: { ip: string },
  token: string,
): Promise<void> {
  const { db, config } = services;
  const isValid = await findSetup(db, config.secretKey);
  if (!isValid || (await hasAdmin(db))) throw new Problem('setup_closed');
  await countingFailures('setup', services, request, async () => {
    if (!isValid(token)) throw new Problem('setup_closed');
  });
}
