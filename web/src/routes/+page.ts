import type { PageLoad } from './$types';

/** The form with all filters and the map are loaded where they are shown: most visitors need neither. */
export const load: PageLoad = async ({ data }) => ({
  ...data,
  FilterForm: data.isFiltering ? (await import('#lib/components/discovery/FilterForm.svelte')).default : null,
  mapView: data.map ? await loadMapView() : null,
});

async function loadMapView() {
  const [{ default: EventMap }, { default: SheetHandle }] = await Promise.all([
    import('#lib/components/discovery/EventMap.svelte'),
    import('#lib/components/discovery/SheetHandle.svelte'),
  ]);
  return { EventMap, SheetHandle };
}
