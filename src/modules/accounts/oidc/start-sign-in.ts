import { defineEndpoint } from '../../../http/define-endpoint.ts';
import type { Caller } from '../../../identity/caller.ts';
import { permitIdentity } from '../contacts/permit-change.ts';
import { flowCookie, newFlow } from './flows.ts';
import { OidcLink, OidcStart, OidcStarted } from './schemas.ts';
import { type OidcServices, requireProvider } from './services.ts';

const common = {
  method: 'POST',
  response: { 200: OidcStarted },
} as const;

export const startOidc = defineEndpoint({
  ...common,
  path: '/v1/auth/oidc/start',
  summary: 'Begin a sign-in with OpenID Connect',
  description:
    'For pages of this server. A cookie that scripts cannot read remembers the sign-in for ten minutes; a later one of the same ' +
    'browser replaces it. The browser then opens `url`, and the provider sends it back to a page of this server, which calls ' +
    'POST /v1/auth/oidc/finish. Refused with `feature_disabled` if `signIn` of GET /v1/features does not have `oidc`.',
  caller: 'none',
  uncached: true,
  session: { sameOriginOnly: true },
  body: OidcStart,
  problems: ['feature_disabled', 'oidc_unavailable'],

  handler: ({ body: { next = '' } }, services: OidcServices) => start(services, next, null),
});

export const linkOidc = defineEndpoint({
  ...common,
  path: '/v1/me/oidc',
  tag: 'Me',
  summary: 'Begin to link an identity to your account',
  description:
    'As POST /v1/auth/oidc/start. POST /v1/auth/oidc/finish then gives the identity, in place of a former one, to the account of ' +
    'this session, if the session has not ended.',
  caller: 'fresh',
  body: OidcLink,
  problems: ['feature_disabled', 'oidc_unavailable', 'confirmation_required', 'wrong_code', 'too_many_tries'],

  async handler({ body: { next = '', confirmCode }, caller, request }, services: OidcServices) {
    await requireProvider(services);
    await permitIdentity(services, request, caller, confirmCode);
    return start(services, next, caller);
  },
});

async function start(services: OidcServices, next: string, caller: Caller | null) {
  const { config, clock } = services;
  const oidc = await requireProvider(services);
  const flow = newFlow(next, caller);
  const url = await oidc.authorizationUrl(flow);
  const headers = { 'set-cookie': flowCookie(config, flow, clock()) };
  return { status: 200 as const, body: { url }, headers };
}
