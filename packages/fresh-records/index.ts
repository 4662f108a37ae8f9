/** Cached records that are never older than the request: the change log, versions of rows, and reads from replicas. */
export { ChangeLog, type CommittedChange } from './change-log.ts';
export { readAgain } from './read-again.ts';
export { isCurrent, type RecordKind } from './recent-versions.ts';
export { createRecordCache, type Source, unlessLate } from './record-cache.ts';
export {
  type Change,
  type ChangedRecords,
  changeKeyOf,
  changeStatement,
  deleteExpiredChanges,
  type ListingKey,
  recordChange,
} from './record-change.ts';
export { Replicas } from './replicas.ts';
export type { Replica } from './usable-replicas.ts';
export { recordValueChange, watchValue } from './watched-value.ts';
