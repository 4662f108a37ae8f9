import { minuteMs } from '#base';
import { defineModule } from '../../http/define-module.ts';
import type { AttendanceServices } from '../attendance/services.ts';
import type { DiscoveryServices } from '../discovery/services.ts';
import { listSeriesGuests } from './answers/list-series-guests.ts';
import { setSeriesRsvp } from './answers/set-series-rsvp.ts';
import { changeSeries } from './change-series.ts';
import { createSeries } from './create-series.ts';
import { seriesExportSections } from './export-sections.ts';
import { getSeries } from './get-series.ts';
import { listMySeries } from './list-my-series.ts';
import { listSeriesEvents } from './list-series-events.ts';
import { makeDueDates } from './make-dates.ts';
import { repeatEvent } from './repeat-event.ts';
import { replaceSeriesItems } from './replace-items.ts';

/** Series: rules that make events, which are their occurrences. */
export const series = defineModule<DiscoveryServices & AttendanceServices>({
  tag: 'Series',
  endpoints: {
    createSeries,
    getSeries,
    changeSeries,
    listSeriesEvents,
    listMySeries,
    replaceSeriesItems,
    repeatEvent,
    setSeriesRsvp,
    listSeriesGuests,
  },
  jobs: [{ name: 'make dates of series', everyMs: minuteMs, run: makeDueDates }],
  exportSections: seriesExportSections,
});
