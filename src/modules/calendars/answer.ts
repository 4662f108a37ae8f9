/** How a calendar leaves. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addVary, contentHash, isNotModified, sendNotModified, weakTag } from '../../http/conditional.ts';
import type { Entry, Writer, Written } from './present.ts';

/** In ms; hundreds of events take a tenth of a second to write, and others must have their turn in between. */
const longestTurn = 5;

export async function writeAll(entries: Entry[], write: Writer): Promise<Written[]> {
  const written: Written[] = [];
  let since = performance.now();
  for (const entry of entries) {
    written.push(write(entry));
    if (performance.now() - since < longestTurn) continue;
    await nextTurn();
    since = performance.now();
  }
  return written;
}

type Calendar = {
  text: string;
  fileName: string;
  /** `attachment` is to be opened once, `inline` to be looked at again and again. */
  disposition: 'attachment' | 'inline';
  /** A secret one must not lie about in anybody's cache. */
  isSecret?: true;
};

/**
 * With a 304 for whoever has the same already: programs ask every hour, and hardly ever is there anything new. It saves
 * the sending, not the making.
 */
export function sendCalendar(
  request: FastifyRequest,
  reply: FastifyReply,
  { text, fileName, disposition, isSecret }: Calendar,
) {
  // With a token the calendar may be another one. A secret one is never compressed.
  if (!isSecret) addVary(reply, 'Authorization, Accept-Encoding');
  const etag = weakTag(contentHash(text));
  reply.header('cache-control', isSecret ? 'private, no-store' : 'private, no-cache').header('etag', etag);
  if (isNotModified(request, etag)) return sendNotModified(reply);
  return reply
    .type('text/calendar; charset=utf-8')
    .header('content-disposition', `${disposition}; filename="${fileName}"`)
    .send(text);
}
