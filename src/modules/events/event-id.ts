import { readId } from '../../lib/ids.ts';

/** Reads the `id` of a path. @throws Problem `event_not_found` unless it is a UUID */
export const readEventId = (id: string): string => readId(id, 'event_not_found');
