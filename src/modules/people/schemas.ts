import { type Static, Type } from 'typebox';
import { named, text } from '../../http/schemas.ts';

export const UserParams = Type.Object({
  id: Type.String({ description: "The person's id.", examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de001'] }),
});

export const UserSearchQuery = Type.Object({
  q: text(2, 100, {
    description:
      'Starts of words of name or username; from three letters or digits in a row on, any part of them.',
  }),
  limit: Type.Integer({ minimum: 1, maximum: 50, default: 10, description: 'How many people at most.' }),
});

const person = {
  id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de001'] }),
  name: Type.String({ description: 'Display name.', examples: ['Mara Lindgren'] }),
  username: Type.String({ examples: ['mara.l'] }),
  avatar: Type.String({
    description: 'Address of an image.',
    examples: ['https://events.example.org/v1/users/0197a2f4-6c1e-7a34-9a51-2f0c8a6de001/avatar.svg'],
  }),
  hasAccount: Type.Boolean({
    description:
      'False for a guest of one event: a guest has no username, and cannot be followed, blocked or written to.',
    examples: [true],
  }),
  bio: Type.String({ examples: ['Brings the sourdough.'] }),
};

const { bio: _, ...brief } = person;
/** A person, as other records name them. */
export const Person = named('Person', Type.Object(brief));
export type Person = Static<typeof Person>;

/** Spec 2.1 */
export const FoundUser = named(
  'FoundUser',
  Type.Object({
    ...person,
    isFollowing: Type.Boolean({ description: 'Whether the caller follows this person.' }),
  }),
);

/** Spec 2.2 */
export const Profile = named(
  'Profile',
  Type.Object({
    ...person,
    followersCount: Type.Integer({ examples: [12] }),
    followingCount: Type.Integer({ examples: [8] }),
    eventsCount: Type.Integer({ description: 'Public, scheduled events that they organize, past ones too.' }),
    isFollowing: Type.Boolean({ description: 'Whether the caller follows them; false without a token.' }),
    isBlocked: Type.Boolean({ description: 'Whether the caller blocked them; false without a token.' }),
  }),
);
export type Profile = Static<typeof Profile>;

export const Following = named(
  'FollowState',
  Type.Object({ isFollowing: Type.Boolean(), followersCount: Type.Integer() }),
);
export const Blocked = named('BlockState', Type.Object({ isBlocked: Type.Boolean() }));
