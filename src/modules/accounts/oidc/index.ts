import { defineModule } from '../../../http/define-module.ts';
import { finishOidc } from './finish-sign-in.ts';
import type { OidcServices } from './services.ts';
import { linkOidc, startOidc } from './start-sign-in.ts';

/** Signing in with an OpenID Connect provider. */
export const oidc = defineModule<OidcServices>({
  tag: 'Sign in',
  endpoints: { startOidc, linkOidc, finishOidc },
});
