import { type Static, Type } from 'typebox';
import { type FlagName, flagNames, flagTable } from '../../../flags/flags.ts';
import { body, named, nullable, oneOf, timestamp } from '../../../http/schemas.ts';
import { type ContactKind, contactKinds } from '../../../lib/contact.ts';

export const FlagParams = Type.Object({ name: Type.String({ examples: flagNames }) });
export const FlagChange = body({ enabled: Type.Boolean() }, { examples: [{ enabled: false }] });
export const Flag = named(
  'Flag',
  Type.Object({
    name: oneOf(flagNames),
    enabled: Type.Boolean(),
    description: Type.String({
      description: 'The feature that the flag switches.',
      examples: ['Claiming items.'],
    }),
    changedAt: nullable(timestamp(), { description: 'Null if the flag has its configured default.' }),
  }),
);
export type Flag = Static<typeof Flag>;

const features = flagNames.map((name) => [name, Type.Boolean({ description: flagTable[name] })]);
export const Features = named(
  'Features',
  Type.Unsafe<Features>(
    Type.Object({
      ...Object.fromEntries(features),
      signIn: Type.Array(oneOf(contactKinds), {
        description:
          'The ways to sign in: with a code that is sent to a phone number, or to a mail address; or with OpenID Connect.',
        examples: [['phone', 'email', 'oidc']],
      }),
      oidcName: nullable(Type.String({ examples: ['Village account'] }), {
        description: 'What pages call the OpenID Connect provider; null if people do not sign in with it.',
      }),
      mail: Type.Boolean({ description: 'Whether the server sends mails.', examples: [true] }),
    }),
  ),
);
export type Features = Record<FlagName, boolean> & {
  signIn: ContactKind[];
  oidcName: string | null;
  mail: boolean;
};
