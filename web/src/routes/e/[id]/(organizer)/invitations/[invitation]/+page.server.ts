import { getInvitation } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { renderSVG } from 'uqr';
import { load as read } from '#lib/server/problems.ts';
import type { PageServerLoad } from './$types';

/** The link is its maker's alone. */
export const load: PageServerLoad = async ({ locals: { api: client }, params }) => {
  const invitation = await read(getInvitation({ client, path: { id: params.invitation } }));
  const { url: link, name } = invitation;
  if (link === null) redirect(303, `/e/${params.id}/invitations`);
  return { name, link, qrCode: renderSVG(link, { ecc: 'M', border: 4 }) };
};
