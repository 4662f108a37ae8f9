import type { AccountServices } from '../account/services.ts';
import { Provider } from './provider.ts';

/** `oidc`: null if people do not sign in with OpenID Connect. */
export type OidcServices = AccountServices & { oidc: Provider | null };

/** The provider is asked when a person first signs in, so one that is down does not delay the start. */
export function createOidcServices({ config, log }: AccountServices): { oidc: Provider | null } {
  const { oidc, signIn, publicUrl } = config;
  return { oidc: oidc && signIn.includes('oidc') ? new Provider(oidc, { publicUrl, log }) : null };
}
