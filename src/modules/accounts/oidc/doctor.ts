/** What the command doctor examines of the provider. */
import { parseJson } from '../../../doctor/ask.ts';
import { broken, type Check, good, reasonOf, skipped } from '../../../doctor/finding.ts';

export const oidcProvider: Check = {
  name: 'OpenID Connect',
  variables: ['OIDC_'],
  async run({ config: { oidc, publicUrl } }) {
    if (!oidc) return skipped('No provider is configured.');
    const url = `${oidc.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(5_000) }).catch(
      (error: Error) => error,
    );
    if (response instanceof Error)
      return broken(
        `${url} does not respond: ${reasonOf(response)}.`,
        'Start the provider, correct OIDC_ISSUER, or let this machine connect to it. For an authority of your own, set NODE_EXTRA_CA_CERTS.',
      );
    const { issuer } = parseJson(await response.text());
    if (response.status !== 200 || typeof issuer !== 'string')
      return broken(
        `${url} has no description of a provider (status ${response.status}).`,
        'Correct OIDC_ISSUER.',
      );
    if (URL.canParse(issuer) && new URL(issuer).href === oidc.issuer)
      return good(`${issuer} responds. It must know the address ${publicUrl}/sign-in/oidc.`);
    return broken(
      `OIDC_ISSUER is ${oidc.issuer}, and the provider calls itself ${issuer.slice(0, 200)}.`,
      'Set OIDC_ISSUER to what the provider calls itself, character by character.',
    );
  },
};
