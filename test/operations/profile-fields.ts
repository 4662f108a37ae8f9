/**
 * The fields of the own profile that a request may leave out, written by hand from the specification. The table of operations,
 * the matrix of views and test/accounts/profile-fields.test.ts read them here.
 */
import { language } from './fields.ts';
import { flag, line, personName, prose, type Rule, username } from './rules.ts';

/** `initial`: the value of a new account, unless the account chooses it. */
export const profileFields: Record<string, { rule: Rule; initial?: unknown }> = {
  name: { rule: personName(80) },
  username: { rule: username },
  bio: { rule: prose(500), initial: '' },
  city: { rule: line(0, 80), initial: '' },
  language: { rule: language },
  mailReplies: { rule: flag, initial: false },
  isPrivate: { rule: flag, initial: false },
};

/** The values of a new account, of the fields that it does not choose. */
export const initialProfile = Object.fromEntries(
  Object.entries(profileFields)
    .filter(([, { initial }]) => initial !== undefined)
    .map(([name, { initial }]) => [name, initial]),
);
