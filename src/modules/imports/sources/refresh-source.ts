import { minuteMs } from '#base';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { actAs } from '../../../identity/act-as.ts';
import { Problem } from '../../../lib/errors.ts';
import { readId } from '../../../lib/ids.ts';
import { parseAddress } from '../../../lib/user-texts/parse-address.ts';
import type { ImportServices } from '../runs/services.ts';
import { startSources } from './follow-sources.ts';
import { toSource } from './present.ts';
import { Source, SourceParams } from './schemas.ts';
import { reserveFetch } from './shared-fetches.ts';
import { findSource, lockSource, requestFetch } from './source-repo.ts';

const pauseMs = minuteMs;

export const refreshSource = defineEndpoint({
  method: 'POST',
  path: '/v1/sources/:id/refresh',
  summary: 'Fetch a calendar now',
  description:
    'Once a minute (429). A server fetches it after the response, unless its host asked to be left alone for longer. A source that was given up is followed again.',
  caller: 'fresh',
  params: SourceParams,
  response: { 202: Source },
  problems: ['source_not_found', 'source_busy'],

  async handler({ caller, params }, services: ImportServices) {
    const { db, clock } = services;
    const key = { userId: caller.id, id: readId(params.id, 'source_not_found') };
    const now = clock();
    const found = await findSource(db, key);
    if (!found) throw new Problem('source_not_found');
    requirePause(found.refreshedAt, now);
    const url = parseAddress(found.url);
    if (url) await reserveFetch(services, url, { since: now, problemsSince: now });
    const source = await actAs(db, caller, async (tx) => {
      // Of two requests at once, the second waits here and finds the time of the first.
      const source = await lockSource(tx, key);
      if (!source) throw new Problem('source_not_found');
      requirePause(source.refreshedAt, now);
      await requestFetch(tx, key, now);
      return source;
    });
    startSources(services);
    return { status: 202, body: await toSource(db, source) };
  },
});

/** @throws Problem `too_many_requests` */
function requirePause(refreshedAt: Date | null, now: Date): void {
  const leftMs = refreshedAt ? refreshedAt.getTime() + pauseMs - now.getTime() : 0;
  if (leftMs > 0) throw new Problem('too_many_requests', { retryAfter: Math.ceil(leftMs / 1_000) });
}
