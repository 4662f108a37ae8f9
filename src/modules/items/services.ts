import type { EventServices } from '../events/services.ts';
import { createItemLoaders, type ItemLoaders } from './item-loaders.ts';

export type ItemServices = EventServices & { items: ItemLoaders };

export const createItemServices = ({ db }: EventServices) => ({ items: createItemLoaders(db) });
