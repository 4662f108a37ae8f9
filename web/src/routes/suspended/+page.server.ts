import { redirect } from '@sveltejs/kit';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = ({ locals: { session, suspension } }) => {
  if (session !== 'suspended' && session !== 'endedBySuspension') redirect(303, '/');
  return { suspension, mustSignIn: session === 'endedBySuspension' };
};
