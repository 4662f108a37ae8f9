import { getEvent } from '@potluck/client';
import { renderSVG } from 'uqr';
import { whereOf } from '#lib/discovery/where.ts';
import { toShared } from '#lib/event/server/shared-event.ts';
import { shareLinks } from '#lib/event/share-links.ts';
import { formatPeriod } from '#lib/language/format.ts';
import { m } from '#lib/messages/index.js';
import { load as read } from '#lib/server/problems.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals: { api: client }, params: { id }, url, platform }) => {
  const event = await toShared(await read(getEvent({ client, path: { id } })), { platform, url });
  const link = `${url.origin}/e/${event.id}`;
  const when = formatPeriod(event);
  const text = m.share_text({ title: event.title, when, where: whereOf(event) });
  return {
    event,
    link,
    text,
    sending: shareLinks({ title: event.title, text, link }),
    qrCode: renderSVG(link, { ecc: 'M', border: 4 }),
    embedding: `<iframe src="${url.origin}/embed/${event.id}" width="360" height="420" title="${event.title.replace(/[<>&"]/g, ' ')}"></iframe>`,
  };
};
