/** The operations of admins. */
import { auditActions } from '../../src/audit/audit.ts';
import type { ExampleKind } from '../../src/modules/notifications/mail/examples.ts';
import { createEvent, createUser } from '../support/factories.ts';
import { cursorPage, language, reportReason, yesOrNo } from './fields.ts';
import {
  adminsOnly,
  asking,
  needed,
  type Operation,
  of,
  type RowContext,
  required,
  row,
  rowOfAdmins,
  text,
} from './operation.ts';
import { flag, line, oneOf, opaque, prose, timestampOrDay } from './rules.ts';

const newReport = async ({ api, event }: RowContext): Promise<string> => {
  const body = { subject: { type: 'event', id: event }, reason: 'spam' };
  const report = await api.post('/v1/reports', (await createUser(api)).token, body);
  return `/v1/admin/reports/${report.body.id}`;
};
const ofNewUser = (tail: string) => ({
  path: async ({ api }: RowContext) => `/v1/admin/users/${(await createUser(api)).id}${tail}`,
});

const ofNewEvent = {
  path: async ({ api }: RowContext) =>
    `/v1/admin/events/${(await createEvent(api, await createUser(api))).id}/hidden`,
};

const previewedMails: Record<ExampleKind, true> = {
  code_sign_in: true,
  code_confirm_contact: true,
  code_change_contact: true,
  code_delete_account: true,
  code_guest: true,
  test: true,
  contact_changed: true,
  summary: true,
  invited: true,
  invited_reminder: true,
  eventChanged: true,
  eventCancelled: true,
  announcement: true,
  reminder: true,
  newEvent: true,
  bookingConfirmed: true,
  invitation: true,
  eventHidden: true,
  sourceFailed: true,
  decision: true,
  message: true,
  follower: true,
  comments: true,
  reports: true,
};

export const adminOperations: Record<string, Operation> = {
  'GET /v1/admin/reports': {
    ...required(),
    ...asking({
      status: text(oneOf('open', 'resolved')),
      reason: text(reportReason),
      order: text(oneOf('newest', 'oldest')),
      aboutId: text(opaque),
      ...cursorPage,
    }),
    ...rowOfAdmins(),
  },
  'GET /v1/admin/reports/{id}': { ...required(), ...rowOfAdmins({ path: newReport }) },
  'PATCH /v1/admin/reports/{id}': {
    ...required(),
    ...of({ status: oneOf('open', 'resolved') }, { note: prose(2_000) }),
    example: () => ({ status: 'resolved' }),
    ...rowOfAdmins({ path: newReport }),
  },
  'GET /v1/admin/overview': { ...required(), ...rowOfAdmins() },
  'GET /v1/admin/users': {
    ...required(),
    ...asking({
      q: text(line(1, 100)),
      phone: text(opaque),
      email: text(opaque),
      suspended: yesOrNo,
      ...cursorPage,
    }),
    ...rowOfAdmins(),
  },
  'POST /v1/admin/users/{id}/suspend': {
    ...required(),
    ...of({}, { reason: prose(500) }),
    example: () => ({ reason: 'Spam' }),
    ...rowOfAdmins(ofNewUser('/suspend')),
  },
  'DELETE /v1/admin/users/{id}/suspend': { ...required(), ...rowOfAdmins(ofNewUser('/suspend')) },
  'PUT /v1/admin/events/{id}/hidden': {
    ...required(),
    ...of({ reason: prose(500, { min: 1 }) }),
    example: () => ({ reason: 'Spam' }),
    ...rowOfAdmins(ofNewEvent),
  },
  'DELETE /v1/admin/events/{id}/hidden': {
    ...required(),
    ...rowOfAdmins(ofNewEvent),
  },
  'PUT /v1/admin/users/{id}/role': {
    ...required(),
    ...of({ role: oneOf('user', 'admin') }),
    example: () => ({ role: 'user' }),
    ...rowOfAdmins(ofNewUser('/role')),
  },
  'GET /v1/admin/flags': { ...required(), ...rowOfAdmins() },
  'PUT /v1/admin/flags/{name}': {
    ...required(),
    ...of({ enabled: flag }),
    example: () => ({ enabled: true }),
    ...rowOfAdmins({ path: () => '/v1/admin/flags/signUps' }),
  },
  'GET /v1/admin/audit': {
    ...required(),
    ...asking({
      since: text(timestampOrDay),
      until: text(timestampOrDay),
      userId: text(opaque),
      what: text(oneOf(...auditActions)),
      ...cursorPage,
    }),
    ...rowOfAdmins(),
  },
  'GET /v1/admin/mails': {
    ...required(),
    ...asking({ state: text(oneOf('queued', 'sent', 'failed', 'suppressed')), ...cursorPage }),
    ...rowOfAdmins(),
  },
  'GET /v1/admin/mails/preview': {
    ...required(),
    ...asking({
      kind: needed(oneOf(...Object.keys(previewedMails))),
      language: text(language),
    }),
    ...rowOfAdmins({ path: () => '/v1/admin/mails/preview?kind=reminder' }),
  },
  'POST /v1/admin/mails/test': {
    ...required(202),
    ...of({ address: opaque }, { language }),
    example: () => ({ address: 'noor@example.org' }),
    ...row({ statuses: adminsOnly(202) }),
  },
};
