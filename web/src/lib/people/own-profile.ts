import type { Me } from '@potluck/client';

/** What a person changes in the profile, and the picture. */
export const profileOf = ({ name, username, bio, city, isPrivate, avatar }: Me) => ({
  name,
  username,
  bio,
  city,
  isPrivate,
  avatar,
});
