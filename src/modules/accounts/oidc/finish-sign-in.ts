import type { FastifyRequest } from 'fastify';
import { transaction } from '#pg';
import { auditContextOf } from '../../../audit/audit.ts';
import { sessionCookie, wayCookie } from '../../../http/browser-cookie.ts';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import type { Caller } from '../../../identity/caller.ts';
import { Problem } from '../../../lib/errors.ts';
import { deviceTokenMs } from '../codes/device-tokens.ts';
import { countingFailures } from '../codes/failure-limit.ts';
import { linkIdentity } from '../contacts/change-contacts.ts';
import { textOfChange } from '../contacts/tell-of-change.ts';
import { toMe } from '../profile/present.ts';
import { openBrowserSession } from '../sessions/sessions.ts';
import { enterAccount } from '../sign-in/open-account.ts';
import { findOrLinkAccount } from './find-or-link-account.ts';
import { clearedFlowCookie, readFlow } from './flows.ts';
import type { ProvenIdentity } from './provider.ts';
import { OidcResponse, OidcSignedIn } from './schemas.ts';
import { type OidcServices, requireProvider } from './services.ts';

export const finishOidc = defineEndpoint({
  method: 'POST',
  path: '/v1/auth/oidc/finish',
  summary: 'End a sign-in with OpenID Connect',
  description:
    'For the page to which the provider sends a browser back, with the parameters that it adds to the address. The response sets ' +
    'the cookies of POST /v1/auth/browser-session, or, after POST /v1/me/oidc, links the identity and leaves the session as it is.\n\n' +
    'The first sign-in of an identity links it to the account that has its mail address, if the provider has verified the address ' +
    'and the account has no identity at this provider. Otherwise it creates an account, which has the address if the provider has ' +
    'verified it and no account has it.',
  caller: 'none',
  uncached: true,
  body: OidcResponse,
  response: { 200: OidcSignedIn },
  problems: [
    'feature_disabled',
    'oidc_cancelled',
    'oidc_expired',
    'oidc_invalid',
    'oidc_unavailable',
    'too_many_tries',
    'contact_taken',
    'token_invalid',
  ],

  async handler({ body, request }, services: OidcServices) {
    const { config, clock } = services;
    const oidc = await requireProvider(services);
    const flow = readFlow(config, request, body.state, clock());
    if (!flow) throw new Problem('oidc_expired');
    const proven = await countingFailures('oidc', services, request, () => oidc.redeem(flow, body));
    const { account, cookies } = flow.caller
      ? await link(services, request, flow.caller, proven)
      : await signIn(services, request, proven);
    const headers = { 'set-cookie': [...cookies, clearedFlowCookie(config)] };
    return { status: 200, body: { ...account, next: flow.next }, headers };
  },
});

async function signIn(services: OidcServices, request: FastifyRequest, proven: ProvenIdentity) {
  const { config } = services;
  const context = auditContextOf(services, request);
  const { session, account, told } = await transaction(services.db, async (tx) => {
    const { told, ...found } = await findOrLinkAccount(tx, services, request, proven);
    const entered = await enterAccount(tx, services, context, request, found, (tx, opened, { now }) =>
      openBrowserSession(tx, opened, now),
    );
    return { ...entered, told };
  });
  if (told) await textOfChange(services, request, told);
  const cookies = [
    sessionCookie(config, session.token, session.maxAgeMs),
    wayCookie(config, 'oidc', deviceTokenMs),
  ];
  return { account, cookies };
}

async function link(
  services: OidcServices,
  request: FastifyRequest,
  caller: Caller,
  { identity }: ProvenIdentity,
) {
  const me = await linkIdentity(services, request, caller, identity);
  const user = toMe(me, services.config.publicUrl);
  return { account: { isNewUser: false, isSuspended: false, user }, cookies: [] };
}
