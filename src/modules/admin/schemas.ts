import { type Static, Type } from 'typebox';
import { flagNames } from '../../flags/flags.ts';
import { cursorQuery } from '../../http/cursors.ts';
import { body, nullable, oneOf, prose, shared, text, timestamp } from '../../http/schemas.ts';

const id = Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de001'] });
const roles = ['user', 'admin'] as const;

export const UserParams = Type.Object({ id: Type.String({ description: "The person's id." }) });

/** DELETE … restores, and takes no body; POST may go without one. */
export const Suspension = body(
  {
    reason: Type.Optional(
      prose(500, {
        description: 'For the audit trail. The person never sees it, neither at sign-in nor in the export.',
        examples: ['Spam'],
      }),
    ),
  },
  { examples: [{ reason: 'Spam' }] },
);
export const Suspended = Type.Object({ id, isSuspended: Type.Boolean() });

export const NewRole = body({ role: oneOf(roles) }, { examples: [{ role: 'admin' }] });
export const Role = Type.Object({ id, role: oneOf(roles) });

export const AdminUserQuery = Type.Object({
  q: Type.Optional(text(1, 100, { description: 'Words of name or username, as in the search of people.' })),
  phone: Type.Optional(
    Type.String({ maxLength: 40, description: 'The whole number.', examples: ['+12025550102'] }),
  ),
  suspended: Type.Optional(Type.Boolean({ description: 'Only those who are, or only those who are not.' })),
  ...cursorQuery,
});
export const AdminUser = shared(
  'AdminUser',
  Type.Object({
    id,
    name: Type.String({ examples: ['Mara Lindgren'] }),
    username: Type.String({ examples: ['mara.l'] }),
    phone: Type.String({ examples: ['+12025550102'] }),
    role: oneOf(roles),
    isSuspended: Type.Boolean(),
    createdAt: timestamp(),
  }),
);
export type AdminUser = Static<typeof AdminUser>;

export const FlagParams = Type.Object({ name: Type.String({ examples: flagNames }) });
export const FlagChange = body({ enabled: Type.Boolean() }, { examples: [{ enabled: false }] });
export const Flag = shared(
  'Flag',
  Type.Object({
    name: oneOf(flagNames),
    enabled: Type.Boolean(),
    description: Type.String({ description: 'What it switches.', examples: ['Claiming items.'] }),
    changedAt: nullable(timestamp(), { description: 'Null: it stands as the configuration has it.' }),
  }),
);
export type Flag = Static<typeof Flag>;

const moment = (description: string) =>
  Type.Optional(Type.String({ format: 'timestamp-or-day', description, examples: ['2026-12-24'] }));
export const AuditQuery = Type.Object({
  since: moment('Entries of this moment and later; a bare date is the start of that day in UTC.'),
  until: moment('Entries of this moment and earlier; a bare date is the end of that day in UTC.'),
  userId: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        'Entries about this person, and what they did as an admin. An unknown id finds nothing, and neither does the ' +
        'id of a deleted account.',
    }),
  ),
  ...cursorQuery,
});
export const AuditEntry = shared(
  'AuditEntry',
  Type.Object({
    id,
    at: timestamp(),
    what: Type.String({ examples: ['account_suspended'] }),
    userId: nullable(Type.String(), {
      description: 'Whom it is about; null once the account is deleted, and for a number without one.',
    }),
    username: nullable(Type.String({ examples: ['mara.l'] })),
    who: Type.String({
      description:
        'The same in all entries about one person. Deleting the account replaces it by a random value, which the ' +
        "person's entries share.",
      examples: ['q1B7xW0dYl2s'],
    }),
    byUserId: nullable(Type.String(), { description: 'The admin who did it, where it was one.' }),
    address: nullable(Type.String({ examples: ['203.0.113.0/24'] }), {
      description: 'The network that the request came from; null for a command.',
    }),
    detail: Type.String({ examples: ['Spam'] }),
  }),
);
export type AuditEntry = Static<typeof AuditEntry>;
