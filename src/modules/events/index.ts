import { hourMs } from '#base';
import { defineModule } from '../../http/define-module.ts';
import { deleteEvent, updateEvent } from './change-event.ts';
import { createEvent } from './create-event.ts';
import { eventDeletionHooks } from './delete-account-data.ts';
import { standingDeletionHook, standingExportSection } from './event-people.ts';
import { eventExportSections } from './export-sections.ts';
import { getCover } from './get-cover.ts';
import { getEvent } from './get-event.ts';
import { listCategories } from './list-categories.ts';
import { seriesDeletionHooks } from './series/delete-account-data.ts';
import type { EventServices } from './services.ts';
import { deleteExpiredTombstones } from './tombstones.ts';

/** Events: records, covers and categories. */
export const events = defineModule<EventServices>({
  tag: 'Events',
  endpoints: { listCategories, getEvent, getCover, createEvent, updateEvent, deleteEvent },
  jobs: [
    {
      name: 'delete expired tombstones',
      everyMs: hourMs,
      run: ({ db, clock }) => deleteExpiredTombstones(db, clock()),
    },
  ],
  deletionHooks: [...seriesDeletionHooks, ...eventDeletionHooks, standingDeletionHook],
  exportSections: [...eventExportSections, standingExportSection],
});
