import { defineModule } from '../../http/define-module.ts';
import type { BaseServices } from '../../http/services.ts';
import { searchPlaces } from './search-places.ts';

/** Towns and cities of the world, offline. */
export const places = defineModule<BaseServices>({ tag: 'Places', endpoints: { searchPlaces } });
