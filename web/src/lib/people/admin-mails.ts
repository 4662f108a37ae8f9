/** What admins read of mails. */
import type { AdminMail } from '@potluck/client';
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
  summary: m.people_kind_summary,
  test: m.admin_mail_test,
};
