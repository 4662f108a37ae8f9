import { type Static, Type } from 'typebox';
import { body, httpUrl, named, nullable, oneOf, timestamp } from '../../../http/schemas.ts';
import { changedFields, storedFields } from './profile-fields.ts';

/** The caller's own account, the response of GET /v1/auth/me. */
export const Me = named(
  'Me',
  Type.Object({
    id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de001'] }),
    ...storedFields,
    avatar: Type.String({
      examples: ['https://events.example.org/v1/users/0197a2f4-6c1e-7a34-9a51-2f0c8a6de001/avatar.svg'],
    }),
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
    role: oneOf(['user', 'admin']),
    followersCount: Type.Integer({ examples: [12] }),
    followingCount: Type.Integer({ examples: [8] }),
    eventsCount: Type.Integer({ examples: [3] }),
    createdAt: timestamp(),
  }),
);
export type Me = Static<typeof Me>;

/** A change of the profile (specification 2.3). Fields that are left out do not change. */
export const MeChange = body(
  {
    ...changedFields,
    avatar: Type.Optional(
      nullable(httpUrl(), {
        description:
          'The `url` of one of your uploads; null, or the address of your generated avatar, for the generated avatar.',
        examples: ['https://events.example.org/v1/uploads/0197a2f4-6c1e-7a34-9a51-2f0c8a6de0aa.webp'],
      }),
    ),
  },
  { examples: [{ name: 'Mara Lindgren', username: 'mara.l', city: 'Gothenburg' }] },
);
export type MeChange = Static<typeof MeChange>;
