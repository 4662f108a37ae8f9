/** Puts the services of all modules together, each from those below it. */
import type { BaseServices } from '../http/services.ts';
import { createOidcServices } from '../modules/accounts/oidc/services.ts';
import { type AccountHooks, createAccountServices } from '../modules/accounts/services.ts';
import type { SmsDriver } from '../modules/accounts/sms/driver.ts';
import { createAttendanceServices } from '../modules/attendance/services.ts';
import { createCalendarServices } from '../modules/calendars/services.ts';
import { createDiscoveryServices } from '../modules/discovery/services.ts';
import { createEventServices } from '../modules/events/services.ts';
import { createFeedServices } from '../modules/feed/services.ts';
import { createAnswerServices } from '../modules/invitations/answers/decline-invitation.ts';
import { createItemServices } from '../modules/items/services.ts';
import { createLiveServices } from '../modules/live/services.ts';
import { createMessageServices } from '../modules/messages/services.ts';
import { createNotificationServices } from '../modules/notifications/services.ts';
import { createPeopleServices } from '../modules/people/services.ts';
import { createUploadServices } from '../modules/uploads/services.ts';
import { createHealthServices } from './health/services.ts';

type Replacements = {
  /** In place of the driver of the configuration, for tests. */
  sms?: SmsDriver | undefined;
  /** In place of the metrics of this process. */
  readMetrics?: (() => Promise<string>) | undefined;
};

export function createServices(
  base: BaseServices,
  accountHooks: AccountHooks,
  { sms, readMetrics }: Replacements,
) {
  const uploads = { ...base, ...createUploadServices(base) };
  const people = { ...uploads, ...createPeopleServices(uploads) };
  const accounts = { ...people, ...createAccountServices(people, accountHooks, sms) };
  const oidc = { ...accounts, ...createOidcServices(accounts) };
  const events = { ...oidc, ...createEventServices(oidc) };
  const attendance = { ...events, ...createAttendanceServices(events) };
  const items = { ...attendance, ...createItemServices(attendance) };
  const answers = { ...items, ...createAnswerServices(items) };
  const discovery = { ...answers, ...createDiscoveryServices(answers) };
  const feed = { ...discovery, ...createFeedServices(discovery) };
  const calendars = { ...feed, ...createCalendarServices(feed) };
  const live = { ...calendars, ...createLiveServices(calendars) };
  const messages = { ...live, ...createMessageServices(live) };
  const notifications = { ...messages, ...createNotificationServices(messages) };
  return { ...notifications, ...createHealthServices(notifications, readMetrics) };
}

export type Services = ReturnType<typeof createServices>;
