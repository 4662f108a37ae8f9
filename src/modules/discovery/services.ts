import type { EventServices } from '../events/services.ts';
import { type Lists, openLists } from './event-lists.ts';

export type DiscoveryServices = EventServices & { lists: Lists };

export const createDiscoveryServices = (services: EventServices) => ({ lists: openLists(services) });
