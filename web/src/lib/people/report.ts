import { m } from '#lib/messages/index.js';

export const reportTypes = ['event', 'item', 'message', 'user', 'comment'] as const;
export const reportReasons = [
  'spam',
  'scam',
  'harassment',
  'hate',
  'violence',
  'sexual',
  'privacy',
  'other',
] as const;

export const reasonLabels: Record<(typeof reportReasons)[number], () => string> = {
  spam: m.people_reason_spam,
  scam: m.people_reason_scam,
  harassment: m.people_reason_harassment,
  hate: m.people_reason_hate,
  violence: m.people_reason_violence,
  sexual: m.people_reason_sexual,
  privacy: m.people_reason_privacy,
  other: m.people_reason_other,
};
