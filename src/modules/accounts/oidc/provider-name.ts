import type { Config } from '../../../config/config.ts';
import type { Settings } from '../../../instance/settings.ts';

/** What pages call the provider; null if people do not sign in there. */
export const oidcNameOf = ({
  signIn,
  oidc,
}: Pick<Settings, 'signIn'> & Pick<Config, 'oidc'>): string | null =>
  signIn.includes('oidc') && oidc ? oidc.name : null;
