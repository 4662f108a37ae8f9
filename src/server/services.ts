/** Puts the services of all modules together, each from those below it. */
import type { BaseServices } from '../http/services.ts';
import { createAuthServices } from '../modules/auth/services.ts';
import type { SmsDriver } from '../modules/auth/sms.ts';
import { createCalendarServices } from '../modules/calendars/services.ts';
import { createDiscoveryServices } from '../modules/discovery/services.ts';
import { createEventServices } from '../modules/events/services.ts';
import { createItemServices } from '../modules/items/services.ts';
import { createLiveServices } from '../modules/live/services.ts';
import { createUploadServices } from '../modules/uploads/services.ts';
import { createUserServices } from '../modules/users/services.ts';
import { createHealthServices } from './health/services.ts';

export function createServices(base: BaseServices, sms?: SmsDriver) {
  const uploads = { ...base, ...createUploadServices(base) };
  const users = { ...uploads, ...createUserServices(uploads) };
  const auth = { ...users, ...createAuthServices(users, sms) };
  const events = { ...auth, ...createEventServices(auth) };
  const items = { ...events, ...createItemServices(events) };
  const discovery = { ...items, ...createDiscoveryServices(items) };
  const calendars = { ...discovery, ...createCalendarServices(discovery) };
  const live = { ...calendars, ...createLiveServices(calendars) };
  return { ...live, ...createHealthServices(live) };
}

export type Services = ReturnType<typeof createServices>;
