import { readId } from '../../lib/ids.ts';

/** The id of a person in a path. @throws Problem `user_not_found` for a malformed id */
export const readUserId = (id: string): string => readId(id, 'user_not_found');
