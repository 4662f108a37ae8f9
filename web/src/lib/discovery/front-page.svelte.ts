/** The state of the front page beside its search, which is in the address. */
import { tick } from 'svelte';
import type FilterForm from '#lib/discovery/components/FilterForm.svelte';
import type SideMap from '#lib/discovery/components/SideMap.svelte';
import { hrefOf, type Search } from '#lib/discovery/search.ts';
import { m } from '#lib/messages/index.js';
import { goto } from '$app/navigation';

const locationTimeoutMs = 10_000;
const locationAgeMs = 5 * 60_000;

type FilterOptions = { hasPlaceFirst?: boolean; notice?: string };

export class FrontPage {
  /** The dialog with all filters. */
  filters = $state({ isOpen: false, hasPlaceFirst: false, notice: '' });
  isLocating = $state(false);
  /** The event whose row or pin the visitor points at. */
  active = $state<string | null>(null);
  /** The event that the visitor chose on the map. */
  selected = $state<string | null>(null);
  /** Whether there is room for a map beside the list. */
  isWide = $state(false);
  // Loaded where they are shown, with plain imports: the block for promises would be a part of all pages.
  FilterSheet = $state.raw<typeof FilterForm | null>(null);
  SideMap = $state.raw<typeof SideMap | null>(null);

  readonly #search: () => Search;

  constructor(search: () => Search) {
    this.#search = search;
  }

  /** Follows the width of the window until the returned function is called. */
  followWidth(): () => void {
    const wide = matchMedia('(min-width: 60rem)');
    const follow = async () => {
      this.isWide = wide.matches;
      if (this.isWide) this.SideMap ??= (await import('#lib/discovery/components/SideMap.svelte')).default;
    };
    void follow();
    wide.addEventListener('change', follow);
    return () => wide.removeEventListener('change', follow);
  }

  async openFilters(event: MouseEvent | null, options: FilterOptions = {}): Promise<void> {
    event?.preventDefault();
    this.FilterSheet ??= (await import('#lib/discovery/components/FilterForm.svelte')).default;
    this.filters = { isOpen: true, hasPlaceFirst: false, notice: '', ...options };
  }

  /** Searches around the visitor; if the browser does not tell where that is, asks for a town. */
  locate(): void {
    const ask = () => {
      this.isLocating = false;
      void this.openFilters(null, { hasPlaceFirst: true, notice: m.discovery_location_refused() });
    };
    if (!('geolocation' in navigator)) {
      ask();
      return;
    }
    this.isLocating = true;
    navigator.geolocation.getCurrentPosition(
      async ({ coords: { latitude, longitude } }) => {
        this.isLocating = false;
        const near = { lat: latitude, lng: longitude };
        const href = hrefOf(this.#search(), { place: '', near, box: null, order: 'distance' });
        await goto(href, { reset: false });
      },
      ask,
      { timeout: locationTimeoutMs, maximumAge: locationAgeMs },
    );
  }

  /**
   * Adds a page to the list. The focus moves to the first new event, and Back leads to the page before this one.
   * @param results the element with the list
   */
  async showMore(event: MouseEvent, href: string, results: HTMLElement | undefined): Promise<void> {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    const links = () => [...(results?.querySelectorAll<HTMLElement>('article a') ?? [])];
    const before = new Set(links().map((link) => link.getAttribute('href')));
    await goto(href, { replace: true, reset: false });
    await tick();
    links()
      .find((link) => !before.has(link.getAttribute('href')))
      ?.focus({ preventScroll: true });
  }
}
