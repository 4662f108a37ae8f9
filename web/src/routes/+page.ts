import type { EventList } from '#lib/discovery/groups.ts';
import type { PageLoad } from './$types';

/** The form with all filters, the map and the advice are loaded where they are shown: most visitors need none of them. */
export const load: PageLoad = async ({ data }) => ({
  ...data,
  EmptyResult: isEmpty(data.list)
    ? (await import('#lib/components/discovery/EmptyResult.svelte')).default
    : null,
  FilterForm: data.isFiltering ? (await import('#lib/components/discovery/FilterForm.svelte')).default : null,
  mapView: data.map ? await loadMapView() : null,
});

const isEmpty = ({ events, running }: EventList): boolean => events.length + running.events.length === 0;

async function loadMapView() {
  const [{ default: EventMap }, { default: MapPlaces }, { default: SheetHandle }] = await Promise.all([
    import('#lib/components/discovery/EventMap.svelte'),
    import('#lib/components/discovery/MapPlaces.svelte'),
    import('#lib/components/discovery/SheetHandle.svelte'),
  ]);
  return { EventMap, MapPlaces, SheetHandle };
}
