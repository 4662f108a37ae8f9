import type { EventServices } from '../events/services.ts';
import { createEventLists, type Lists } from './event-lists.ts';

export type DiscoveryServices = EventServices & { lists: Lists };

export const createDiscoveryServices = (services: EventServices) => ({ lists: createEventLists(services) });
