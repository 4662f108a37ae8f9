import {
  countAnnouncementRecipients,
  createAnnouncement,
  getEvent,
  listAnnouncements,
} from '@potluck/client';
import { announcementActions, loadAnnouncements } from '#lib/event/server/announcement-page.ts';
import { load as read } from '#lib/server/problems.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import type { Actions, PageServerLoad } from './$types';

const subject: Parameters<typeof announcementActions>[0] = {
  list: async (client, id) =>
    (await read(listAnnouncements({ client, path: { id }, query: { limit: 50 } }))).data,
  count: async (client, id, audience) =>
    (await read(countAnnouncementRecipients({ client, path: { id }, query: { audience: audience.join() } })))
      .recipients,
  create: (submission, body) => createAnnouncement({ ...toCall(submission), body }),
  zone: async (submission) => (await getEvent(toCall(submission))).data.timezone,
  pathOf: (id) => `/e/${id}/announcements`,
};

const toCall = ({ client, path, headers = {} }: Parameters<typeof subject.zone>[0]) => ({
  client,
  path,
  headers,
});

export const load: PageServerLoad = ({ locals: { api }, params: { id }, url }) =>
  loadAnnouncements(subject, api, id, readQuery(url));

export const actions: Actions = announcementActions(subject);
