/** Faults of signing in with OpenID Connect, and of links that the operator prints. */
import { type Fault, faultsOf } from '../fault.ts';

export const openIdConnectFaults: Fault[] = [
  ...faultsOf('src/modules/accounts/oidc/flows.ts', [
    ['stored.state !== state || ', '', 'oidc-failures', 'a response of another sign-in'],
    [' || stored.expiresAt <= now.getTime()', '', 'oidc-failures', 'a sign-in after ten minutes'],
  ]),
  ...faultsOf('src/modules/accounts/oidc/provider.ts', [
    [
      '{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier }',
      '{ expectedState: state, pkceCodeVerifier: verifier, idTokenExpected: true }',
      'oidc-failures',
      'the ID token of another sign-in',
    ],
    ['enableNonRepudiationChecks(configuration);', '', 'oidc-failures', 'a forged ID token'],
    [
      'if (claims.sub.length > maxSubjectLength)',
      'if (false)',
      'oidc-failures',
      'a subject that fills the index',
    ],
    ['isVerified === true', 'isVerified', 'oidc-sign-in', 'an address that the provider has not verified'],
    ['canonicalAddress(email) : null', 'email : null', 'oidc-sign-in', 'a text that is no address'],
    ["code_challenge_method: 'S256',", '', 'oidc-sign-in', 'a challenge in clear text'],
  ]),
  ...faultsOf('src/modules/accounts/oidc/find-or-link-account.ts', [
    [
      'if (owner) await lockContactsOf(tx, secretKey, owner);',
      '',
      'oidc-links',
      'a link and a change of one account leave two identities',
    ],
    [
      'if (me.oidc !== null && isIdentityAt(me.oidc, services.config.oidc?.issuer)) return null;',
      '',
      'oidc-sign-in',
      'the next owner of an address takes the account over',
    ],
    [
      "if (me.oidc !== null) await releaseContact(tx, userId, { kind: 'oidc', value: me.oidc });",
      '',
      'oidc-sign-in',
      'a former identity still signs in',
    ],
  ]),
  ...faultsOf('src/modules/accounts/oidc/start-sign-in.ts', [
    ['session: { sameOriginOnly: true },', '', 'oidc-failures', 'another site begins a sign-in'],
  ]),
  ...faultsOf('src/modules/accounts/codes/failure-limit.ts', [
    [
      'failed(scope) > maxFailures[use] * times',
      'false',
      'oidc-failures',
      'endless requests to the provider',
    ],
    [
      'await transaction(db, (tx) => subtractSend(tx, scopes, now));',
      '',
      'oidc-failures',
      'a network of many people is locked out',
    ],
  ]),
  ...faultsOf('src/modules/accounts/deletion/request-code.ts', [
    ["throw new Problem('sign_in_again');", ';', 'oidc-links', 'a stolen session deletes the account'],
  ]),
  ...faultsOf('src/modules/accounts/oidc/start-sign-in.ts', [
    [
      'await permitIdentity(services, request, caller, confirmCode);',
      '',
      'oidc-links',
      'a stolen session links an identity',
    ],
  ]),
  ...faultsOf('src/modules/accounts/sign-in/ways.ts', [
    [
      " && (kind !== 'oidc' || isIdentityAt(value, oidc?.issuer))",
      '',
      'oidc-links',
      'the last way to sign in is removed',
    ],
  ]),
  ...faultsOf('src/modules/accounts/sign-in/operator-link.ts', [
    ['const lifetimeMs = 15 * 60_000;', 'const lifetimeMs = 60 * 60_000;', 'admin-link', 'an old link'],
  ]),
];
