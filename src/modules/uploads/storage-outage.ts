import type { OutageLog } from '../../http/outage-log.ts';
import { Problem } from '../../lib/errors.ts';

/**
 * Logs a failure of the image storage as an outage.
 * @param operation a call of the storage that has been started
 * @throws Problem `storage_unavailable`, after which the client may retry
 */
export const reportStorageOutage = <T>(outages: OutageLog, operation: Promise<T>): Promise<T> =>
  operation.catch((error) => {
    outages.report('image storage', error);
    throw new Problem('storage_unavailable');
  });
