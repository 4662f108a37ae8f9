import { listNotifications, type Notification } from '@potluck/client';
import { error, json } from '@sveltejs/kit';
import { describeChanges, describeNotification, hrefOf } from '#lib/inbox/notifications.ts';
import { formatPeriod } from '#lib/language/format.ts';
import { m } from '#lib/messages/index.js';
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
  return json({
    title: describeNotification(entry),
    body: bodyOf(entry),
    href: hrefOf(entry) ?? '/notifications',
  });
};

/** Systems show a few lines. */
const maxWords = 200;

/** What changed and what the organizer writes about it; of other notifications, when and where the event is. */
function bodyOf(entry: Notification): string {
  const { event, announcement, decision } = entry;
  const words = [announcement?.text, decision?.reason].flatMap((text) => (text ? [cut(text)] : []));
  const lines = [...describeChanges(entry), ...words];
  if (lines.length > 0) return lines.join('\n');
  return event ? `${formatPeriod(event)} · ${event.location.address}` : '';
}

function cut(text: string): string {
  const characters = [...text];
  return characters.length > maxWords ? `${characters.slice(0, maxWords - 1).join('')}…` : text;
}
