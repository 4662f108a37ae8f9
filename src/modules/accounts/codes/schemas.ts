import { type Static, Type } from 'typebox';
import { named } from '../../../http/schemas.ts';

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

export const email = Type.String({
  maxLength: 254,
  description: 'A mail address, in any spelling: responses have its domain in ASCII and small letters.',
  examples: ['mara@example.org'],
});

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
