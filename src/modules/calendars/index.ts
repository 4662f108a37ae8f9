import { defineModule } from '../../http/define-module.ts';
import { calendarExportSections } from './export-sections.ts';
import { getCalendar } from './get-calendar.ts';
import { getEventCalendar } from './get-event-calendar.ts';
import { getSeriesCalendar } from './get-series-calendar.ts';
import { listEventsCalendar } from './list-events-calendar.ts';
import { createMyCalendar, deleteMyCalendar, getMyCalendar } from './my-calendar.ts';
import type { CalendarServices } from './services.ts';

/** iCalendar files: one event, a series, the public events, and the events of a person at a secret URL. */
export const calendars = defineModule<CalendarServices>({
  tag: 'Calendars',
  endpoints: {
    getEventCalendar,
    getSeriesCalendar,
    listEventsCalendar,
    createMyCalendar,
    getMyCalendar,
    deleteMyCalendar,
    getCalendar,
  },
  exportSections: calendarExportSections,
});
