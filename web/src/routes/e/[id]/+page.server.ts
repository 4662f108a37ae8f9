import { type Client, getEvent, getFeatures, getSeries, listItems } from '@potluck/client';
import { error } from '@sveltejs/kit';
import { bringPage } from '#lib/event/bring/server/bring-page.ts';
import { loadComments } from '#lib/event/comments/server/load-comments.ts';
import type { GuestResult } from '#lib/event/guests/guest-result.ts';
import { guestActions } from '#lib/event/guests/server/guest-actions.ts';
import { claimsInQuestion } from '#lib/event/guests/server/intent.ts';
import { loadExtras } from '#lib/event/guests/server/load-extras.ts';
import { readChanges } from '#lib/event/server/after-save.ts';
import { toShared } from '#lib/event/server/shared-event.ts';
import { problemText, load as read } from '#lib/server/problems.ts';
import { type PageFields, readQuery } from '#lib/server/read-fields.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, params: { id }, url, platform, depends }) => {
  depends('app:event');
  if (!platform) error(503);
  const { api: client, me } = locals;
  const [event, items, features] = await Promise.all([
    read(getEvent({ client, path: { id } })),
    read(listItems({ client, path: { id } })),
    read(getFeatures({ client })),
  ]);
  const query = readQuery(url);
  const [extras, comments, shared, seriesRsvp] = await Promise.all([
    loadExtras(event, locals),
    loadComments(event, locals),
    toShared(event, { platform, url }),
    me && event.series ? findSeriesRsvp(client, event.series) : null,
  ]);
  const claimed = items.data.filter(({ myClaim }) => myClaim);
  const refusal = readRefusal(query, claimed.length > 0);
  return {
    event,
    // Of an event whose address others do not see.
    shared: shared === event ? null : shared,
    list: await bringPage(items.data, url, platform.mapInTurns, refusal?.about),
    claimed,
    features,
    refusal,
    changes: readChanges(query),
    hasStreets: platform.mapTiles !== null,
    demoAccounts: me ? [] : platform.demoAccounts,
    ...extras,
    comments,
    seriesRsvp,
  };
};

/** The visitor's answer to all dates of the series. */
const findSeriesRsvp = async (client: Client, path: { id: string }) =>
  (await read(getSeries({ client, path }))).myRsvp ?? null;

/** What could not be done after the sign-in, or waits for an answer. */
function readRefusal(query: PageFields, hasClaims: boolean): GuestResult | null {
  if (!query.has('refused')) return null;
  const code = query.text('refused');
  // `Maybe` is the one answer of a sign-in that steps back.
  if (code === claimsInQuestion) return hasClaims ? { about: 'rsvp', asksAboutClaims: 'interested' } : null;
  return {
    about: query.text('itemId') || 'rsvp',
    problem: { code, message: problemText(code), fields: {} },
    quantity: Number(query.text('quantity') || 1),
  };
}

export const actions = guestActions;
