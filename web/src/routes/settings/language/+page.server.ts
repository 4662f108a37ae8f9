import { requireMe } from '#lib/server/require-me.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = ({ locals, url }) => {
  requireMe(locals, url);
};
