import { type Static, Type } from 'typebox';
import { cursorQuery } from '../../../http/cursors.ts';
import { body, named, nullable, oneOf, prose, ref, timestamp } from '../../../http/schemas.ts';
import { Person } from '../../people/schemas.ts';

export const subjectTypes = ['event', 'item', 'message', 'user', 'comment'] as const;
export const reasons = [
  'spam',
  'scam',
  'harassment',
  'hate',
  'violence',
  'sexual',
  'privacy',
  'other',
] as const;
const statuses = ['open', 'resolved'] as const;
const orders = ['newest', 'oldest'] as const;
export type ReportOrder = (typeof orders)[number];

const id = Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6dea11'] });
const subject = {
  type: oneOf(subjectTypes, { examples: ['event'] }),
  id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1'] }),
};
const reason = oneOf(reasons, { examples: ['scam'] });

export const NewReport = body(
  {
    subject: body(subject),
    reason,
    text: Type.Optional(prose(2_000, { description: 'An explanation for the admins.' })),
  },
  {
    examples: [
      {
        subject: { type: 'event', id: '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1' },
        reason: 'scam',
        text: 'Sells tickets to a party that is free.',
      },
    ],
  },
);
export type NewReport = Static<typeof NewReport>;

const reportFields = {
  id,
  subject: Type.Object(subject),
  reason,
  text: Type.String({ examples: ['Sells tickets to a party that is free.'] }),
  status: oneOf(statuses),
  createdAt: timestamp(),
};
export const Report = named('Report', Type.Object(reportFields));
export type Report = Static<typeof Report>;

const Involved = named('InvolvedPerson', Type.Object({ ...Person.properties, isSuspended: Type.Boolean() }));
export const AdminReport = named(
  'AdminReport',
  Type.Object({
    ...reportFields,
    reporter: ref(Involved),
    about: ref(Involved),
    message: nullable(Type.Object({ text: Type.String(), createdAt: timestamp() }), {
      description: 'The reported message or comment; null for other subjects, and if it is deleted.',
    }),
    note: Type.String({
      description: 'The note of the admin who resolved the report.',
      examples: ['Suspended.'],
    }),
    resolvedAt: nullable(timestamp()),
  }),
);
export type AdminReport = Static<typeof AdminReport>;

export const ReportQuery = Type.Object({
  status: Type.Optional(oneOf(statuses, { description: 'Default: reports of every status.' })),
  reason: Type.Optional(oneOf(reasons, { description: 'Default: reports for every reason.' })),
  order: Type.Optional(oneOf(orders, { description: 'Which report comes first. Default: `newest`.' })),
  aboutId: Type.Optional(
    Type.String({
      description: 'Reports about this person. An unknown id finds no reports.',
    }),
  ),
  ...cursorQuery,
});
export const ReportParams = Type.Object({ id: Type.String({ description: "The report's id." }) });
export const Resolution = body(
  {
    status: oneOf(statuses),
    note: Type.Optional(
      prose(2_000, { description: 'A note for other admins. Without this field, the note does not change.' }),
    ),
  },
  { examples: [{ status: 'resolved', note: 'Suspended the organizer.' }] },
);
