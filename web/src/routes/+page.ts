import type { PageLoad } from './$types';

/** The form with all filters is loaded where it is shown: most visitors need none. */
export const load: PageLoad = async ({ data }) => ({
  ...data,
  FilterForm: data.isFiltering ? (await import('#lib/components/discovery/FilterForm.svelte')).default : null,
});
