import { listNotifications } from '@potluck/client';
import { error, json } from '@sveltejs/kit';
import { formatPeriod } from '#lib/language/format.ts';
import { m } from '#lib/messages/index.js';
import { describeNotification, hrefOf } from '#lib/people/notifications.ts';
import { load as read } from '#lib/server/problems.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import type { RequestHandler } from './$types';

/** The text of a notification in the visitor's language, for the service worker: `?id=…`. */
export const GET: RequestHandler = async ({ locals: { api, me }, url }) => {
  if (!me) error(401, { message: m.problem_token_missing() });
  const { data } = await read(listNotifications({ client: api, query: { limit: 20 } }));
  const asked = readQuery(url).text('id');
  const entry = data.find(({ id }) => id === asked);
  if (!entry) error(404, { message: m.error_not_found() });
  const { event } = entry;
  return json({
    title: describeNotification(entry),
    body: event ? `${formatPeriod(event)} · ${event.location.address}` : '',
    href: hrefOf(entry) ?? '/notifications',
  });
};
