/** Builds responses that carry an iCalendar object, with their cache headers and conditional requests. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  addVary,
  callerHeaders,
  isNotModified,
  type NotModifiedResponse,
  notModified,
  weakTag,
} from '../../http/conditional.ts';
import type { ContentResponse } from '../../http/define-endpoint.ts';
import type { RenderedCalendar } from './present.ts';

type CalendarContent = {
  calendar: RenderedCalendar;
  fileName: string;
  /** `attachment` suits a file that is opened once, `inline` a calendar that a program subscribes to. */
  disposition: 'attachment' | 'inline';
  /** No cache may store a calendar whose URL is a secret. */
  isSecret?: true;
};

/**
 * A 200 with the calendar, or a 304 if the client has the same text: programs poll every hour, and the
 * calendar rarely changes. A 304 saves the transfer, not the rendering.
 */
export function calendarResponse(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { calendar, fileName, disposition, isSecret }: CalendarContent,
): ContentResponse | NotModifiedResponse {
  // The content of a public calendar depends on the caller. A secret calendar is never compressed.
  if (!isSecret) addVary(reply, `${callerHeaders}, Accept-Encoding`);
  const etag = weakTag(calendar.hash);
  const headers = { 'cache-control': isSecret ? 'private, no-store' : 'private, no-cache', etag };
  if (isNotModified(request, etag)) return notModified(headers);
  return {
    statusCode: 200,
    contentType: 'text/calendar; charset=utf-8',
    content: calendar.bytes,
    headers: { ...headers, 'content-disposition': `${disposition}; filename="${fileName}"` },
  };
}
