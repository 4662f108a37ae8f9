/** Puts the services of all modules together, each from those below it. */
import type { BaseServices } from '../http/services.ts';
import { type AccountHooks, createAccountServices } from '../modules/account/services.ts';
import { createAttendanceServices } from '../modules/attendance/services.ts';
import { createAuthServices } from '../modules/auth/services.ts';
import type { SmsDriver } from '../modules/auth/sms.ts';
import { createDiscoveryServices } from '../modules/discovery/services.ts';
import { createEventServices } from '../modules/events/services.ts';
import { createFeedServices } from '../modules/feed/services.ts';
import { createItemServices } from '../modules/items/services.ts';
import { createMessageServices } from '../modules/messages/services.ts';
import { createUploadServices } from '../modules/uploads/services.ts';
import { createUserServices } from '../modules/users/services.ts';

export function createServices(base: BaseServices, accountHooks: AccountHooks, sms?: SmsDriver) {
  const uploads = { ...base, ...createUploadServices(base) };
  const users = { ...uploads, ...createUserServices(uploads) };
  const auth = { ...users, ...createAuthServices(users, sms) };
  const events = { ...auth, ...createEventServices(auth) };
  const attendance = { ...events, ...createAttendanceServices(events) };
  const items = { ...attendance, ...createItemServices(attendance) };
  const discovery = { ...items, ...createDiscoveryServices(items) };
  const feed = { ...discovery, ...createFeedServices(discovery) };
  const messages = { ...feed, ...createMessageServices(feed) };
  return { ...messages, ...createAccountServices(messages, accountHooks) };
}

export type Services = ReturnType<typeof createServices>;
