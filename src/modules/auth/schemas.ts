import { type Static, Type } from 'typebox';
import { body, named, ref, timestamp } from '../../http/schemas.ts';
import { Me } from '../users/own-profile-schemas.ts';

export const phone = Type.String({
  maxLength: 40,
  description:
    'In international form, with + and country code; with `country`, also as it is dialled there. The digits may be those of any ' +
    'script.',
  examples: ['+12025550102'],
});

export const country = Type.Optional(
  Type.String({
    pattern: '^[A-Z]{2}$',
    description:
      'The country of a number that is written without its country code (ISO 3166-1 alpha-2). Default: the country of the ' +
      'server, if it has one.',
    examples: ['SE'],
  }),
);

const deviceToken = Type.Optional(
  Type.String({
    maxLength: 100,
    description:
      'The `deviceToken` of an earlier sign-in on this device. Browsers send a cookie instead. The limits on codes then treat the ' +
      'device as known, and other people cannot use up its codes and tries. A token that is not valid for the number or address is ignored.',
  }),
);

export const email = Type.String({
  maxLength: 254,
  description: 'A mail address, in any spelling: responses have its domain in ASCII and small letters.',
  examples: ['mara@example.org'],
});

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

export const CodeSent = named(
  'CodeSent',
  Type.Object({
    expiresIn: Type.Integer({
      description:
        'Seconds until the code expires: 300, or from the tenth code of a day on, until midnight UTC.',
      examples: [300],
    }),
    resendAfter: Type.Integer({
      description: 'Seconds until the next code can be requested.',
      examples: [60],
    }),
    code: Type.Optional(
      Type.String({
        description:
          'The code itself. Present only for the deletion of an account to which no message can be sent.',
      }),
    ),
    devCode: Type.Optional(
      Type.String({
        description:
          'The code itself. Present only on a server that sends no messages and that only its own machine can reach ' +
          '(or with `DEV_CODES=on`); never in production.',
      }),
    ),
    devLink: Type.Optional(
      Type.String({ description: 'The link of the mail. Present as `devCode` is, if the mail has a link.' }),
    ),
  }),
);
export type CodeSent = Static<typeof CodeSent>;

export const code = Type.String({
  maxLength: 20,
  description: 'The six digits of the message, also those of another script, and with spaces.',
});

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

const pair = {
  accessToken: Type.String({
    description: 'Send it as `Authorization: Bearer …`.',
    examples: ['pa_AZei9Gwe…'],
  }),
  refreshToken: Type.String({ description: 'Valid for one refresh.', examples: ['pr_AZei9Gwe…'] }),
  tokenType: Type.Literal('Bearer'),
  expiresIn: Type.Integer({ description: 'Seconds until the access token expires.', examples: [1800] }),
};
export const TokenPair = named('TokenPair', Type.Object(pair));

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
    ...pair,
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

export const RefreshRequest = body(
  { refreshToken: Type.String({ maxLength: 200 }) },
  { examples: [{ refreshToken: 'pr_AZel6u…' }] },
);

export const SessionParams = Type.Object({ id: Type.String() });
export const Session = named(
  'Session',
  Type.Object({
    id: Type.String(),
    isCurrent: Type.Boolean({ description: 'Whether this request was sent in this session.' }),
    userAgent: Type.String({ description: 'The `User-Agent` of the sign-in.' }),
    createdAt: timestamp(),
    refreshedAt: timestamp({
      description: 'When the tokens were refreshed; for a browser session, when a request last extended it.',
    }),
    expiresAt: timestamp({
      description: 'When the session ends unless it is refreshed, or, for a browser session, used.',
    }),
  }),
);
