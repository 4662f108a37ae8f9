import { defineModule } from '../../http/define-module.ts';
import { createMyCalendar } from './create-my-calendar.ts';
import { deleteMyCalendar } from './delete-my-calendar.ts';
import { calendarExportSections } from './export-sections.ts';
import { getCalendar } from './get-calendar.ts';
import { getEventCalendar } from './get-event-calendar.ts';
import { getMyCalendar } from './get-my-calendar.ts';
import { listEventsCalendar } from './list-events-calendar.ts';
import type { CalendarServices } from './services.ts';

/** iCalendar files: one event, the public events, and the events of a person at a secret URL. */
export const calendars = defineModule<CalendarServices>({
  tag: 'Calendars',
  endpoints: {
    getEventCalendar,
    listEventsCalendar,
    createMyCalendar,
    getMyCalendar,
    deleteMyCalendar,
    getCalendar,
  },
  exportSections: calendarExportSections,
});
