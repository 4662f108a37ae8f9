import type { DiscoveryServices } from '../discovery/services.ts';
import { maxDescriptionLength } from './entries.ts';
import { cacheEntries, createEntryRenderer, type EntryRenderer } from './present.ts';

export type CalendarServices = DiscoveryServices & {
  /** Renders an entry of a calendar of several events. All calendars share its cache. */
  renderEntry: EntryRenderer;
};

export const createCalendarServices = ({ config }: DiscoveryServices) => ({
  renderEntry: cacheEntries(createEntryRenderer(config.publicUrl, maxDescriptionLength)),
});
