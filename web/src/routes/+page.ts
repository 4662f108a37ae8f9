import type { EventList } from '#lib/discovery/groups.ts';
import type { PageLoad } from './$types';

/** The form with all filters, the map and the advice are loaded where they are shown: most visitors need none of them. */
export const load: PageLoad = async ({ data }) => ({
  ...data,
  EmptyResult: isEmpty(data.list)
    ? (await import('#lib/discovery/components/EmptyResult.svelte')).default
    : null,
  FilterForm: data.isFiltering ? (await import('#lib/discovery/components/FilterForm.svelte')).default : null,
  mapView: data.map ? await loadMapView() : null,
});

const isEmpty = ({ events, running }: EventList): boolean => events.length + running.events.length === 0;

async function loadMapView() {
  const [{ default: EventMap }, { default: MapPlaces }, { default: SheetHandle }] = await Promise.all([
    import('#lib/discovery/components/EventMap.svelte'),
    import('#lib/discovery/components/MapPlaces.svelte'),
    import('#lib/discovery/components/SheetHandle.svelte'),
  ]);
  return { EventMap, MapPlaces, SheetHandle };
}
