import { Type } from 'typebox';
import { body, named, ref } from '../../../http/schemas.ts';
import { code, country, email, phone } from '../codes/schemas.ts';
import { Me } from '../profile/schemas.ts';
import { TokenPair } from '../sessions/schemas.ts';

const deviceToken = Type.Optional(
  Type.String({
    maxLength: 100,
    description:
      'The `deviceToken` of an earlier sign-in on this device. Browsers send a cookie instead. The limits on codes then treat the ' +
      'device as known, and other people cannot use up its codes and tries. A token that is not valid for the number or address is ignored.',
  }),
);

export const CodeRequest = body({ phone, country, deviceToken }, { examples: [{ phone: '+12025550102' }] });

/** What a sign-in that leaves the page keeps for the page that follows. */
export const next = Type.String({
  maxLength: 1_000,
  description:
    'A text that the end of the sign-in has, such as the path of the page to open then. The link of a mail has it as its ' +
    'parameter `next`, and its page follows only paths of this server.',
  examples: ['/e/0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1'],
});

export const MailCodeRequest = body(
  { email, deviceToken, next: Type.Optional(next) },
  { examples: [{ email: 'mara@example.org' }] },
);

export const CodeProof = body(
  { phone, country, code, deviceToken },
  { examples: [{ phone: '+12025550102', code: '493027' }] },
);
export const MailCodeProof = body(
  { email, code, deviceToken },
  { examples: [{ email: 'mara@example.org', code: '493027' }] },
);
export const LinkToken = body(
  { token: Type.String({ maxLength: 1_500, description: 'The parameter `token` of the link.' }) },
  { examples: [{ token: 'pl_Xr9Kc0dS…' }] },
);

const account = {
  isNewUser: Type.Boolean({ description: 'Whether this sign-in created the account.' }),
  isSuspended: Type.Boolean({
    description:
      'Whether the account is suspended. If so, the session only permits to export and delete its data.',
  }),
  user: ref(Me),
};
export const SignedIn = named(
  'SignedIn',
  Type.Object({
    ...TokenPair.properties,
    ...account,
    deviceToken: Type.String({
      description:
        'Store it, also after a logout, and send it with the next sign-in of this phone number or address on this device. It is valid for ' +
        '400 days and authenticates no request.',
      examples: ['pd_XrNcV0kS…'],
    }),
  }),
);
export const BrowserSignedIn = named('BrowserSignedIn', Type.Object(account));
