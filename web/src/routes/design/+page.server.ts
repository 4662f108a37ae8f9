import { error } from '@sveltejs/kit';
import type { PageServerLoad } from './$types';

/** The page shows developers the parts of which pages are made. */
export const load: PageServerLoad = ({ platform }) => {
  if (platform?.isProduction) error(404);
};
