import { readId } from '../../lib/ids.ts';

/** The id of an upload in a path. @throws Problem `upload_not_found` for a malformed id */
export const readUploadId = (id: string): string => readId(id, 'upload_not_found');
