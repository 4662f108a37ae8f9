import { type Static, Type } from 'typebox';
import { auditActions } from '../../audit/audit.ts';
import { cursorQuery } from '../../http/cursors.ts';
import {
  body,
  named,
  nullable,
  oneOf,
  prose,
  ref,
  Suspension,
  seenPattern,
  text,
  timestamp,
} from '../../http/schemas.ts';
import { Role } from '../accounts/roles/schemas.ts';
import { Hidden } from '../events/schemas.ts';
import { Person } from '../people/schemas.ts';
import { reasons } from './reports/schemas.ts';

const exampleId = { examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de001'] };
const id = Type.String(exampleId);

/** The body is optional. */
export const SuspensionReason = body(
  {
    reason: Type.Optional(
      prose(500, {
        description: 'The person reads it. It is part of the audit trail.',
        examples: ['Selling tickets to events that do not exist'],
      }),
    ),
  },
  { examples: [{ reason: 'Selling tickets to events that do not exist' }] },
);
export const Suspended = named('SuspensionState', Type.Object({ id, isSuspended: Type.Boolean() }));

export const HidingReason = body(
  {
    reason: prose(500, {
      minLength: 1,
      format: 'visible-text',
      pattern: seenPattern,
      description: 'The organizer reads it. It is part of the audit trail.',
      examples: ['The address belongs to a person who knows nothing of the event.'],
    }),
  },
  { examples: [{ reason: 'The address belongs to a person who knows nothing of the event.' }] },
);
export const HiddenEvent = named('HiddenEvent', Type.Object({ id, hidden: nullable(Hidden) }));

export const AdminUserQuery = Type.Object({
  q: Type.Optional(
    text(1, 100, { description: 'Words of the name or username, as in the search of people.' }),
  ),
  phone: Type.Optional(
    Type.String({ maxLength: 40, description: 'The complete phone number.', examples: ['+12025550102'] }),
  ),
  email: Type.Optional(
    Type.String({
      maxLength: 254,
      description: 'The complete mail address.',
      examples: ['mara@example.org'],
    }),
  ),
  suspended: Type.Optional(
    Type.Boolean({
      description: '`true`: only suspended accounts. `false`: only accounts that are not suspended.',
    }),
  ),
  ...cursorQuery,
});
export const AdminUser = named(
  'AdminUser',
  Type.Object({
    ...Person.properties,
    phone: nullable(Type.String({ examples: ['+12025550102'] })),
    email: nullable(Type.String({ examples: ['mara@example.org'] })),
    role: Role.properties.role,
    isSuspended: Type.Boolean(),
    suspension: nullable(ref(Suspension)),
    createdAt: timestamp(),
  }),
);
export type AdminUser = Static<typeof AdminUser>;

const timeBound = (description: string) =>
  Type.Optional(Type.String({ format: 'timestamp-or-day', description, examples: ['2026-12-24'] }));
export const AuditQuery = Type.Object({
  since: timeBound(
    'Entries at this time and later. A date without a time means the start of that day in UTC.',
  ),
  until: timeBound(
    'Entries at this time and earlier. A date without a time means the end of that day in UTC.',
  ),
  userId: Type.Optional(
    Type.String({
      description:
        'Entries about this person, and entries of their actions as an admin. An unknown id or the id of a deleted ' +
        'account finds no entries.',
    }),
  ),
  what: Type.Optional(oneOf(auditActions, { description: 'Entries of this action.' })),
  ...cursorQuery,
});
export const AuditEntry = named(
  'AuditEntry',
  Type.Object({
    id,
    at: timestamp(),
    what: oneOf(auditActions, { examples: ['account_suspended'] }),
    userId: nullable(Type.String(), {
      description:
        'The person concerned; null after the account is deleted, and for a phone number without an account.',
    }),
    name: nullable(Type.String({ examples: ['Mara Lindgren'] })),
    username: nullable(Type.String({ examples: ['mara.l'] })),
    who: Type.String({
      description:
        'The same in all entries about one person. Deleting the account replaces it by a random value, which is the ' +
        "same in all of the person's entries.",
      examples: ['q1B7xW0dYl2s'],
    }),
    byUserId: nullable(Type.String(), {
      description: 'The admin who acted on the account; null for other entries.',
    }),
    byName: nullable(Type.String({ examples: ['Noor Haddad'] }), { description: 'The name of that admin.' }),
    address: nullable(Type.String({ examples: ['203.0.113.0/24'] }), {
      description: 'The network of the client; null for a command-line command.',
    }),
    detail: Type.String({ examples: ['Spam'] }),
  }),
);
export type AuditEntry = Static<typeof AuditEntry>;

const upTo = (description: string) =>
  Type.Integer({ description: `${description}, at most 1,000.`, examples: [3] });
const chart = (description: string) =>
  Type.Array(Type.Integer(), { description, examples: [[0, 2, 1, 0, 0, 3, 1, 0, 0, 1, 4, 2, 0, 1]] });
export const AdminOverview = named(
  'AdminOverview',
  Type.Object({
    openReports: upTo('Number of open reports'),
    openReportsByReason: Type.Array(Type.Object({ reason: oneOf(reasons), count: Type.Integer() }), {
      description: 'Open reports by reason, the most frequent first.',
      examples: [[{ reason: 'spam', count: 2 }]],
    }),
    oldestReportAt: nullable(timestamp(), { description: 'The time of the oldest open report.' }),
    suspendedAccounts: upTo('Number of suspended accounts'),
    newAccounts: upTo('Number of accounts that were created in the last 7 days'),
    newAccountsBefore: upTo('Number of accounts that were created in the 7 days before'),
    accountsByDay: chart(
      'Number of accounts that were created on each of the last 14 days, of which each ends at the time of the response; of ' +
        'the newest 20,000.',
    ),
    nextEvents: upTo('Number of scheduled public events that start in the next 7 days'),
    lastEvents: upTo('Number of scheduled public events that started in the last 7 days'),
    eventsByDay: chart(
      'Number of scheduled public events that start on each of the 7 days before the response and the 7 days after it; of the ' +
        'first 20,000.',
    ),
  }),
);
