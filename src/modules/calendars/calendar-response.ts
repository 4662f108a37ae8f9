/** Builds responses that carry an iCalendar object, with their cache headers. */
import { callerHeaders, weakTag } from '../../http/conditional.ts';
import type { ContentResponse } from '../../http/define-endpoint.ts';
import type { RenderedCalendar } from './present.ts';

type CalendarContent = {
  calendar: RenderedCalendar;
  fileName: string;
  /** `attachment` suits a file that is opened once, `inline` a calendar that a program subscribes to. */
  disposition: 'attachment' | 'inline';
  /** No cache may store a calendar whose URL is a secret. */
  isSecret?: true;
  /** The URL of the calendar with the events that follow. */
  next?: string | undefined;
};

/** The text of a calendar. Programs poll every hour, and it rarely changes: a 304 saves the transfer, not the rendering. */
export const calendarResponse = ({
  calendar,
  fileName,
  disposition,
  isSecret,
  next,
}: CalendarContent): ContentResponse => ({
  statusCode: 200,
  contentType: 'text/calendar; charset=utf-8',
  content: calendar.bytes,
  headers: {
    'cache-control': isSecret ? 'private, no-store' : 'private, no-cache',
    etag: weakTag(calendar.hash),
    // The content of a public calendar depends on the caller. A secret calendar is never compressed.
    ...(!isSecret && { vary: `${callerHeaders}, Accept-Encoding` }),
    ...(next !== undefined && { link: `<${next}>; rel="next"` }),
    'content-disposition': `${disposition}; filename="${fileName}"`,
  },
});
