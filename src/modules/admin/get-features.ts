import { flagNames } from '../../flags/flags.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { ref } from '../../http/schemas.ts';
import type { BaseServices } from '../../http/services.ts';
import { Features } from './schemas.ts';

/** Tells clients what admins have switched off, so that they can explain it before someone tries. */
export const getFeatures = defineEndpoint({
  method: 'GET',
  path: '/v1/features',
  operationId: 'getFeatures',
  tag: 'Administration',
  summary: 'Get the features that are switched on',
  description:
    'A feature that is switched off refuses requests with `feature_disabled` or `claims_disabled`. A switch reaches all ' +
    'servers within a second.',
  access: 'public',
  response: { 200: ref(Features) },

  async handler(_request, { flags }: BaseServices) {
    const entries = flagNames.map(async (name) => [name, await flags.isOn(name)] as const);
    return { status: 200, body: Object.fromEntries(await Promise.all(entries)) as Features };
  },
});
