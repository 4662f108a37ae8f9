import { redirect } from '@sveltejs/kit';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = ({ locals: { session } }) => {
  if (session !== 'suspended') redirect(303, '/');
};
