import { getEvent } from '@potluck/client';
import { renderSVG } from 'uqr';
import { load as read } from '#lib/server/problems.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals: { api: client }, params: { id }, url }) => {
  const event = await read(getEvent({ client, path: { id } }));
  const link = `${url.origin}/e/${event.id}`;
  return {
    event: { id: event.id, title: event.title, visibility: event.visibility },
    link,
    qrCode: renderSVG(link, { ecc: 'M', border: 4 }),
    embedding: `<iframe src="${url.origin}/embed/${event.id}" width="360" height="420" title="${event.title.replace(/[<>&"]/g, ' ')}"></iframe>`,
  };
};
