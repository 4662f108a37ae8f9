/** PostgreSQL: connections, statements, transactions, batches and locks. */
export { createLoader, createWriteBatcher } from './batching.ts';
export { connect, type Database, maxConnectionsOf, type PoolState } from './client.ts';
export { type Connection, openConnection, transactionOn } from './connection.ts';
export { readInBatches } from './cursor.ts';
export { isOutage, isTransient, isUnstorable, violates } from './errors.ts';
export { type LockWaits, lockEach, lockRows, lockThenRead, skipLockedUnless } from './locks.ts';
export { createPartitions, deleteOlderThan, type PartitionedTable } from './partitions.ts';
export {
  byPosition,
  hasCitus,
  isDistributed,
  listDistributedTables,
  one,
  type Queryable,
  type Row,
} from './queryable.ts';
export { crashing, RecoveryError, startingUp, untilRecovered } from './recovery.ts';
export {
  amongKeys,
  columnOf,
  deleteRows,
  insertRows,
  joinedBy,
  listEach,
  materialized,
  queryEach,
  rowsOf,
  update,
  updateRows,
} from './rows.ts';
export { RETRY_IN_NEXT_BATCH, RETRY_INDIVIDUALLY, RETRY_WITH_TARGET, type Retry } from './run-batch.ts';
export { ConnectionLostError } from './run-statement.ts';
export { listMissingSettings } from './session-settings.ts';
export { assignments, empty, insertValues, isOneOf, join, raw, Statement, sql } from './sql.ts';
export { findUnverifiedHost, type Target } from './target.ts';
export { type Transaction, transaction } from './transaction.ts';
export { readSettledTime, transactionTime } from './transaction-times.ts';
export { unreachableDatabase } from './unreachable-database.ts';
