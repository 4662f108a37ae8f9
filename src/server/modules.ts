/** The modules, in the order of their imports: a module imports only those above it. */
import type { Module } from '../http/define-module.ts';
import { codes } from '../modules/accounts/codes/index.ts';
import { contacts } from '../modules/accounts/contacts/index.ts';
import { deletion } from '../modules/accounts/deletion/index.ts';
import { accountExport } from '../modules/accounts/export/index.ts';
import { oidc } from '../modules/accounts/oidc/index.ts';
import { profile } from '../modules/accounts/profile/index.ts';
import { roles } from '../modules/accounts/roles/index.ts';
import { sessions } from '../modules/accounts/sessions/index.ts';
import { signIn } from '../modules/accounts/sign-in/index.ts';
import { announcements } from '../modules/announcements/index.ts';
import { attendance } from '../modules/attendance/index.ts';
import { calendars } from '../modules/calendars/index.ts';
import { comments } from '../modules/comments/index.ts';
import { discovery } from '../modules/discovery/index.ts';
import { events } from '../modules/events/index.ts';
import { feed } from '../modules/feed/index.ts';
import { guests } from '../modules/guests/index.ts';
import { importReception, imports } from '../modules/imports/index.ts';
import { flags } from '../modules/instance/flags/index.ts';
import { instance } from '../modules/instance/index.ts';
import { mails } from '../modules/instance/mails/index.ts';
import { invitationAnswers } from '../modules/invitations/answers/index.ts';
import { invitations } from '../modules/invitations/index.ts';
import { items } from '../modules/items/index.ts';
import { live } from '../modules/live/index.ts';
import { messages } from '../modules/messages/index.ts';
import { moderation } from '../modules/moderation/index.ts';
import { reports } from '../modules/moderation/reports/index.ts';
import { notifications } from '../modules/notifications/index.ts';
import { unsubscription } from '../modules/notifications/unsubscribe/index.ts';
import { people } from '../modules/people/index.ts';
import { places } from '../modules/places/index.ts';
import { series } from '../modules/series/index.ts';
import { imageReception, uploads } from '../modules/uploads/index.ts';
import { health } from './health/index.ts';
import type { Services } from './services.ts';

export const modules: Module<Services>[] = [
  uploads,
  imageReception,
  people,
  codes,
  profile,
  sessions,
  roles,
  signIn,
  contacts,
  oidc,
  deletion,
  accountExport,
  places,
  events,
  attendance,
  items,
  comments,
  invitations,
  guests,
  invitationAnswers,
  announcements,
  discovery,
  series,
  imports,
  importReception,
  feed,
  calendars,
  live,
  messages,
  notifications,
  unsubscription,
  reports,
  moderation,
  flags,
  mails,
  instance,
  health,
];
