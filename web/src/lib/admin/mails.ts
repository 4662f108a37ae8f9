/** What admins read of mails. */
import type { AdminMail, PreviewMailData } from '@potluck/client';
import { labels } from '#lib/generated/notification-kinds.ts';
import { m } from '#lib/messages/index.js';

export const states: Record<AdminMail['state'], () => string> = {
  queued: m.admin_mail_queued,
  sent: m.admin_mail_sent,
  failed: m.admin_mail_failed,
  suppressed: m.admin_mail_suppressed,
};

export const mailKinds: Record<AdminMail['kind'], () => string> = {
  ...labels,
  contact_changed: m.admin_mail_contact_changed,
  invited: m.admin_mail_invited,
  invited_reminder: m.admin_mail_invited_reminder,
  summary: m.people_kind_summary,
  test: m.admin_mail_test,
};

/** Of these, one mail a day tells the organizer. */
const { rsvps, claims, bookings, ...mailed } = mailKinds;

export const previewedKinds: Record<PreviewMailData['query']['kind'], () => string> = {
  code_sign_in: m.admin_mail_code_sign_in,
  code_confirm_contact: m.admin_mail_code_confirm_contact,
  code_change_contact: m.admin_mail_code_change_contact,
  code_guest: m.admin_mail_code_guest,
  code_delete_account: m.admin_mail_code_delete_account,
  ...mailed,
};
