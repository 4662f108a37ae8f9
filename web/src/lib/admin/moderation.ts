/** What admins read: the reasons and subjects of reports, the features of switches, and the audit trail. */
import type { AdminReport, AuditEntry, Event, Flag } from '@potluck/client';
import { m } from '#lib/messages/index.js';

export const reportReasons: Record<AdminReport['reason'], () => string> = {
  spam: m.admin_reason_spam,
  scam: m.admin_reason_scam,
  harassment: m.admin_reason_harassment,
  hate: m.admin_reason_hate,
  violence: m.admin_reason_violence,
  sexual: m.admin_reason_sexual,
  privacy: m.admin_reason_privacy,
  other: m.admin_reason_other,
};

export const isReason = (text: string): text is AdminReport['reason'] => Object.hasOwn(reportReasons, text);

export const reportSubjects: Record<AdminReport['subject']['type'], () => string> = {
  event: m.admin_subject_event,
  item: m.admin_subject_item,
  message: m.admin_subject_message,
  user: m.admin_subject_user,
  comment: m.admin_subject_comment,
};

/** `href`: the page of the subject; null if it has none, or is deleted. `event`: for an event or an item of its list. */
export type ReportedSubject = { title: string | null; href: string | null; event: Event | null };
/**
 * What happened with the person whom a case is about. `others`: the number of other reports; `hasMore`: there are further
 * ones.
 */
export type PersonHistory = { others: number; hasMore: boolean; wasSuspended: boolean };
/**
 * Reports of one subject with one status, which admins decide together. `report`: the first of `reports`. `history`: where
 * admins decide.
 */
export type ReportCase = {
  report: AdminReport;
  reports: AdminReport[];
  subject: ReportedSubject;
  history?: PersonHistory;
};

export const features: Record<Flag['name'], () => string> = {
  bookings: m.admin_flag_bookings,
  claims: m.admin_flag_claims,
  messages: m.admin_flag_messages,
  guestRsvp: m.admin_flag_guest_rsvp,
  signUps: m.admin_flag_sign_ups,
  uploads: m.admin_flag_uploads,
};

type Action = AuditEntry['what'];

/** Entries of what people do every day, which would hide the others. */
const everyday: Action[] = ['signed_in', 'logged_out', 'device_signed_out'];
export const isRemarkable = ({ what }: AuditEntry): boolean => !everyday.includes(what);

/** The actions by which the audit trail is filtered. */
export const actions: Record<Action, () => string> = {
  account_suspended: m.admin_action_account_suspended,
  account_restored: m.admin_action_account_restored,
  event_hidden: m.admin_action_event_hidden,
  event_shown: m.admin_action_event_shown,
  guest_removed: m.admin_action_guest_removed,
  role_changed: m.admin_action_role_changed,
  flag_changed: m.admin_action_flag_changed,
  settings_changed: m.admin_action_settings_changed,
  demo_removed: m.admin_action_demo_removed,
  report_resolved: m.admin_action_report_resolved,
  report_reopened: m.admin_action_report_reopened,
  account_created: m.admin_action_account_created,
  account_deleted: m.admin_action_account_deleted,
  signed_in: m.admin_action_signed_in,
  logged_out: m.admin_action_logged_out,
  device_signed_out: m.admin_action_device_signed_out,
  sign_in_locked: m.admin_action_sign_in_locked,
  deletion_locked: m.admin_action_deletion_locked,
  confirmation_locked: m.admin_action_confirmation_locked,
  contact_changed: m.admin_action_contact_changed,
  contact_removed: m.admin_action_contact_removed,
  sign_in_link: m.admin_action_sign_in_link,
  invitations_sent: m.admin_action_invitations_sent,
  links_made: m.admin_action_links_made,
  link_withdrawn: m.admin_action_link_withdrawn,
  refresh_token_reused: m.admin_action_refresh_token_reused,
};

const sentences: Record<
  Exclude<Action, 'role_changed' | 'flag_changed'>,
  (inputs: { name: string }) => string
> = {
  account_suspended: m.admin_did_account_suspended,
  account_restored: m.admin_did_account_restored,
  event_hidden: m.admin_did_event_hidden,
  event_shown: m.admin_did_event_shown,
  guest_removed: m.admin_did_guest_removed,
  settings_changed: m.admin_did_settings_changed,
  demo_removed: m.admin_did_demo_removed,
  report_resolved: m.admin_did_report_resolved,
  report_reopened: m.admin_did_report_reopened,
  account_created: m.admin_did_account_created,
  account_deleted: m.admin_did_account_deleted,
  signed_in: m.admin_did_signed_in,
  logged_out: m.admin_did_logged_out,
  device_signed_out: m.admin_did_device_signed_out,
  sign_in_locked: m.admin_did_sign_in_locked,
  deletion_locked: m.admin_did_deletion_locked,
  confirmation_locked: m.admin_did_confirmation_locked,
  contact_changed: m.admin_did_contact_changed,
  contact_removed: m.admin_did_contact_removed,
  sign_in_link: m.admin_did_sign_in_link,
  invitations_sent: m.admin_did_invitations_sent,
  links_made: m.admin_did_links_made,
  link_withdrawn: m.admin_did_link_withdrawn,
  refresh_token_reused: m.admin_did_refresh_token_reused,
};

/** Of admins, and of the organizer of the event. */
const ofAdmins: Action[] = [
  'account_suspended',
  'account_restored',
  'event_hidden',
  'event_shown',
  'guest_removed',
  'role_changed',
];
const aboutEvents: Action[] = ['event_hidden', 'event_shown', 'guest_removed'];
const ofThemselves: Action[] = [
  'flag_changed',
  'settings_changed',
  'demo_removed',
  'report_resolved',
  'report_reopened',
];

/** What an entry of the audit trail says. */
export type AuditLine = {
  sentence: string;
  /** The page of what the sentence is about; null for deleted accounts. */
  href: string | null;
  /** The admin or organizer who acted; `id` is null if their account is deleted or a command acted. Null for other entries. */
  by: { id: string | null; name: string } | null;
  /** The reason of a suspension or of a hidden event. */
  reason: string;
};

export function toAuditLine(entry: AuditEntry): AuditLine {
  const { what, detail, userId, byUserId } = entry;
  const name = entry.name ?? (userId || ofAdmins.includes(what) ? m.admin_deleted() : m.admin_no_account());
  return {
    sentence: describe(what, detail, name),
    href: hrefOf(what, detail, userId),
    by: ofAdmins.includes(what)
      ? { id: byUserId, name: entry.byName ?? m.admin_audit_by_server() }
      : ofThemselves.includes(what)
        ? { id: userId, name }
        : null,
    reason: reasonOf(what, detail),
  };
}

/** The detail of a hidden event is its id and the reason; it is empty if the organizer's account is deleted. */
const reasonOf = (what: Action, detail: string): string =>
  what === 'account_suspended'
    ? detail
    : what === 'event_hidden'
      ? detail.slice(detail.indexOf(' ') + 1)
      : '';

function describe(what: Action, detail: string, name: string): string {
  if (what === 'role_changed')
    return detail.startsWith('to admin') ? m.admin_did_role_admin({ name }) : m.admin_did_role_user({ name });
  if (what === 'flag_changed') {
    const [flag = '', state] = detail.split(' ');
    const feature = features[flag as Flag['name']]?.() ?? flag;
    return state === 'on' ? m.admin_did_flag_on({ name: feature }) : m.admin_did_flag_off({ name: feature });
  }
  // A newer server may have more actions.
  return sentences[what]?.({ name }) ?? what;
}

function hrefOf(what: Action, detail: string, userId: string | null): string | null {
  if (what === 'report_resolved' || what === 'report_reopened') return `/admin/reports/${detail}`;
  if (aboutEvents.includes(what) && detail) return `/e/${detail.split(' ', 1)[0]}`;
  if (what === 'flag_changed') return '/admin/switches';
  if (what === 'settings_changed' || what === 'demo_removed') return '/admin/settings';
  return userId && `/admin/audit?userId=${userId}`;
}
