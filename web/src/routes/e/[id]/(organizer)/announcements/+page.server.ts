import {
  countAnnouncementRecipients,
  createAnnouncement,
  getEvent,
  listAnnouncements,
} from '@potluck/client';
import {
  type AnnouncedSubject,
  announcementActions,
  loadAnnouncements,
} from '#lib/event/server/announcement-page.ts';
import { load as read } from '#lib/server/problems.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import type { Actions, PageServerLoad } from './$types';

const subject: AnnouncedSubject = {
  list: async (client, id) =>
    (await read(listAnnouncements({ client, path: { id }, query: { limit: 50 } }))).data,
  count: async (client, id, audience) =>
    (await read(countAnnouncementRecipients({ client, path: { id }, query: { audience: audience.join() } })))
      .recipients,
  create: (call, body) => createAnnouncement({ ...call, body }),
  zone: async (client, id) => (await getEvent({ client, path: { id } })).data.timezone,
  pathOf: (id) => `/e/${id}/announcements`,
};

export const load: PageServerLoad = ({ locals: { api }, params: { id }, url }) =>
  loadAnnouncements(subject, api, id, readQuery(url));

export const actions: Actions = announcementActions(subject);
