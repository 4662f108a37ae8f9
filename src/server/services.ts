/** Puts the services of all modules together, each from those below it. */
import type { BaseServices } from '../http/services.ts';
import { type AccountHooks, createAccountServices } from '../modules/account/services.ts';
import { createAttendanceServices } from '../modules/attendance/services.ts';
import { createAuthServices } from '../modules/auth/services.ts';
import type { SmsDriver } from '../modules/auth/sms.ts';
import { createCalendarServices } from '../modules/calendars/services.ts';
import { createDiscoveryServices } from '../modules/discovery/services.ts';
import { createEventServices } from '../modules/events/services.ts';
import { createFeedServices } from '../modules/feed/services.ts';
import { createItemServices } from '../modules/items/services.ts';
import { createLiveServices } from '../modules/live/services.ts';
import { createMessageServices } from '../modules/messages/services.ts';
import { createNotificationServices } from '../modules/notifications/services.ts';
import { createOidcServices } from '../modules/oidc/services.ts';
import { createUploadServices } from '../modules/uploads/services.ts';
import { createUserServices } from '../modules/users/services.ts';
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
  const users = { ...uploads, ...createUserServices(uploads) };
  const auth = { ...users, ...createAuthServices(users, sms) };
  const events = { ...auth, ...createEventServices(auth) };
  const attendance = { ...events, ...createAttendanceServices(events) };
  const items = { ...attendance, ...createItemServices(attendance) };
  const discovery = { ...items, ...createDiscoveryServices(items) };
  const feed = { ...discovery, ...createFeedServices(discovery) };
  const calendars = { ...feed, ...createCalendarServices(feed) };
  const live = { ...calendars, ...createLiveServices(calendars) };
  const messages = { ...live, ...createMessageServices(live) };
  const notifications = { ...messages, ...createNotificationServices(messages) };
  const account = { ...notifications, ...createAccountServices(notifications, accountHooks) };
  return { ...account, ...createOidcServices(account), ...createHealthServices(account, readMetrics) };
}

export type Services = ReturnType<typeof createServices>;
