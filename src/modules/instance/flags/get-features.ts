import { type FlagName, flagNames } from '../../../flags/flags.ts';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import type { BaseServices } from '../../../http/services.ts';
import { oidcNameOf } from '../../accounts/oidc/provider-name.ts';
import { Features } from './schemas.ts';

export const getFeatures = defineEndpoint({
  method: 'GET',
  path: '/v1/features',
  tag: 'Server',
  summary: 'Get the features that are switched on',
  description:
    '`signIn` has the ways to sign in. An app can disable what an admin has switched off, and say why. Requests to it are refused with `feature_disabled` or ' +
    '`claims_disabled`. A change is visible on all servers at once.',
  caller: 'none',
  uncached: true,
  response: { 200: Features },

  async handler(_request, { flags, config, instance }: BaseServices) {
    const states = await Promise.all(flagNames.map(async (name) => [name, await flags.isOn(name)] as const));
    const features = Object.fromEntries(states) as Record<FlagName, boolean>;
    const { signIn } = await instance.settings();
    const { oidc, mail } = config;
    const body = { ...features, signIn, oidcName: oidcNameOf({ signIn, oidc }), mail: mail.driver !== 'off' };
    return { status: 200, body };
  },
});
