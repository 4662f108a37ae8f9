import { minId, parseId } from '#base';
import { readId } from '../../lib/ids.ts';

/** The id of a person in a path. @throws Problem `user_not_found` for a malformed id */
export const readUserId = (id: string): string => readId(id, 'user_not_found');

/**
 * The id of a person to filter by; null without a filter. A malformed id finds nothing, as an unknown id
 * does.
 */
export const readFilterId = (text: string | undefined): string | null =>
  text === undefined ? null : (parseId(text) ?? minId);
