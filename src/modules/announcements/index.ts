import { hourMs } from '#base';
import { defineModule } from '../../http/define-module.ts';
import type { EventServices } from '../events/services.ts';
import { changeAnnouncement, deleteAnnouncement } from './change-announcement.ts';
import { createAnnouncement, createSeriesAnnouncement } from './create-announcement.ts';
import { announcementDeletionHooks } from './delete-account-data.ts';
import { announcementExportSections } from './export-sections.ts';
import {
  countAnnouncementRecipients,
  countSeriesAnnouncementRecipients,
  listAnnouncements,
  listSeriesAnnouncements,
} from './list-announcements.ts';
import { deleteEmptied } from './repo.ts';
import { sendAnnouncements } from './send-announcements.ts';

/** Announcements: what organizers write to the guests of an event or a series, now or at a time that they choose. */
export const announcements = defineModule<EventServices>({
  tag: 'Announcements',
  endpoints: {
    createAnnouncement,
    listAnnouncements,
    countAnnouncementRecipients,
    createSeriesAnnouncement,
    listSeriesAnnouncements,
    countSeriesAnnouncementRecipients,
    changeAnnouncement,
    deleteAnnouncement,
  },
  jobs: [
    { name: 'send announcements', everyMs: 5_000, run: sendAnnouncements },
    {
      name: 'delete emptied announcements',
      everyMs: hourMs,
      run: ({ db, clock }) => deleteEmptied(db, clock()),
    },
  ],
  deletionHooks: announcementDeletionHooks,
  exportSections: announcementExportSections,
});
