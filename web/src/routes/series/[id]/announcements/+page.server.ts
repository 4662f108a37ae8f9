import {
  countSeriesAnnouncementRecipients,
  createSeriesAnnouncement,
  getSeries,
  listSeriesAnnouncements,
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
    (await read(listSeriesAnnouncements({ client, path: { id }, query: { limit: 50 } }))).data,
  count: async (client, id, audience) => {
    const query = { audience: audience.join() };
    return (await read(countSeriesAnnouncementRecipients({ client, path: { id }, query }))).recipients;
  },
  create: (call, body) => createSeriesAnnouncement({ ...call, body }),
  zone: async (client, id) => (await getSeries({ client, path: { id } })).data.timezone,
  pathOf: (id) => `/series/${id}/announcements`,
};

/** Others than the organizer may not count the recipients: the page shows them the problem. */
export const load: PageServerLoad = async ({ locals: { api, me }, params: { id }, url }) => {
  const [series, written] = await Promise.all([
    read(getSeries({ client: api, path: { id } })),
    loadAnnouncements(subject, api, id, readQuery(url)),
  ]);
  const { title, timezone, next } = series;
  return { ...written, series: { id, title, timezone, next }, me };
};

export const actions: Actions = announcementActions(subject);
