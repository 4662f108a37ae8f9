import { type Static, Type } from 'typebox';
import { languages } from '../../../../web/src/lib/language/languages.ts';
import {
  body,
  httpUrl,
  named,
  nullable,
  oneOf,
  prose,
  text,
  timestamp,
  usernamePattern,
  visiblePattern,
} from '../../../http/schemas.ts';
import { maxPersonName } from '../../../lib/text.ts';

/** The caller's own account, the response of GET /v1/auth/me. */
export const Me = named(
  'Me',
  Type.Object({
    id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de001'] }),
    name: Type.String({ examples: ['Mara Lindgren'] }),
    username: Type.String({ examples: ['mara.l'] }),
    avatar: Type.String({
      examples: ['https://events.example.org/v1/users/0197a2f4-6c1e-7a34-9a51-2f0c8a6de001/avatar.svg'],
    }),
    bio: Type.String({ examples: ['Brings the sourdough.'] }),
    city: Type.String({ examples: ['Gothenburg'] }),
    phone: nullable(Type.String({ examples: ['+12025550102'] }), {
      description: 'E.164. Null for an account without one. Visible only to the owner.',
    }),
    email: nullable(Type.String({ examples: ['mara@example.org'] }), {
      description: 'The mail address. Null for an account without one. Visible only to the owner.',
    }),
    oidc: nullable(Type.String({ examples: ['https://id.example.org/ 248289761001'] }), {
      description:
        'The identity at an OpenID Connect provider with which the person signs in: the issuer, a space, the subject. Null for ' +
        'an account without one. Visible only to the owner.',
    }),
    language: nullable(oneOf(languages), {
      description:
        'Of mails. Null until the first sign-in of an account that a command created; mails are in English then.',
      examples: ['sv'],
    }),
    mailReplies: Type.Boolean({
      description:
        'Whether guests can reply to mails about your events: such mails have your mail address as `Reply-To`. False for a new ' +
        'account, and when the address is removed.',
      examples: [false],
    }),
    role: oneOf(['user', 'admin']),
    isPrivate: Type.Boolean(),
    followersCount: Type.Integer({ examples: [12] }),
    followingCount: Type.Integer({ examples: [8] }),
    eventsCount: Type.Integer({ examples: [3] }),
    createdAt: timestamp(),
  }),
);
export type Me = Static<typeof Me>;

/** The name that people give themselves. */
export const personName = Type.String({
  minLength: 1,
  maxLength: maxPersonName,
  format: 'person-name',
  pattern: visiblePattern,
  examples: ['Mara Lindgren'],
});

/** A change of the profile (specification 2.3). Fields that are left out do not change. */
export const MeChange = body(
  {
    name: Type.Optional(personName),
    username: Type.Optional(
      Type.String({
        minLength: 3,
        maxLength: 30,
        pattern: usernamePattern,
        description:
          '3–30 of a–z, 0–9, _ and ., with at least one letter or digit; stored in lower case. Reserved names such ' +
          'as `admin` and `support`, also with other punctuation or with digits at the end, result in a 409 ' +
          '`username_taken`.',
        examples: ['mara.l'],
      }),
    ),
    bio: Type.Optional(prose(500)),
    city: Type.Optional(text(0, 80)),
    avatar: Type.Optional(
      nullable(httpUrl(), {
        description:
          'The `url` of one of your uploads; null, or the address of your generated avatar, for the generated avatar.',
        examples: ['https://events.example.org/v1/uploads/0197a2f4-6c1e-7a34-9a51-2f0c8a6de0aa.webp'],
      }),
    ),
    isPrivate: Type.Optional(
      Type.Boolean({
        description:
          'A private profile is visible only to people whom you follow. Others can still follow you and write to you, ' +
          'unless you block them.',
      }),
    ),
    language: Type.Optional(oneOf(languages, { description: 'Of mails.' })),
    mailReplies: Type.Optional(
      Type.Boolean({
        description:
          'Whether guests can reply to mails about your events. Every guest who gets mails then sees your mail address.',
      }),
    ),
  },
  { examples: [{ name: 'Mara Lindgren', username: 'mara.l', city: 'Gothenburg' }] },
);
export type MeChange = Static<typeof MeChange>;
