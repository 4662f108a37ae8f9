import { Problem } from '../../../lib/errors.ts';
import type { AccountServices } from '../services.ts';
import { requireWay } from '../sign-in/ways.ts';
import { Provider } from './provider.ts';

/** `oidc`: null if no provider is configured. */
export type OidcServices = AccountServices & { oidc: Provider | null };

/** The provider is asked when a person first signs in, so one that is down does not delay the start. */
export function createOidcServices({ config, log }: AccountServices): { oidc: Provider | null } {
  const { oidc, publicUrl } = config;
  return { oidc: oidc ? new Provider(oidc, { publicUrl, log }) : null };
}

/** @throws Problem `feature_disabled` if people do not sign in with OpenID Connect */
export async function requireProvider(services: OidcServices): Promise<Provider> {
  await requireWay(services, 'oidc');
  if (!services.oidc) throw new Problem('feature_disabled');
  return services.oidc;
}
