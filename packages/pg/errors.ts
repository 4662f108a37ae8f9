/** What PostgreSQL's SQLSTATEs and lost connections mean, in one place. */
import pg from 'pg';
import { ConnectionLostError } from './run-statement.ts';

const transient = /^(08|28|3D000|53|57P0|57014|55P03|40001|40P01|25006|25P0[34])/;
/** The server is unavailable or full. */
const outage = /^(08|28|3D000|53|57P0)/;
/** Values that PostgreSQL cannot store and that no schema refused. */
const unstorable = new Set(['22021', '22P05', '22003', '22008', '22P02']);

const sqlState = (error: unknown): string | null =>
  error instanceof pg.DatabaseError ? (error.code ?? '') : null;

/**
 * True if the same work may succeed later: the server is unavailable or full, or another transaction had precedence.
 */
export const isTransient = (error: unknown): boolean =>
  error instanceof ConnectionLostError || transient.test(sqlState(error) ?? '');

/** True if PostgreSQL cannot store a value of the statement. */
export const isUnstorable = (error: unknown): boolean => unstorable.has(sqlState(error) ?? '');

/** True if the next statement would fail as well, and if the failed one may have taken effect. */
export const isOutage = (error: unknown): boolean =>
  error instanceof ConnectionLostError || outage.test(sqlState(error) ?? '');

/** True if the connection refuses writes. A pooler may have led it to a standby, so that another one works. */
export const isReadOnly = (error: unknown): boolean => sqlState(error) === '25006';

/**
 * True if this constraint or unique index refused the row. The name in the message counts as well: an error of another
 * machine of a distributed database has its name there only, followed by a number.
 */
export const violates = (error: unknown, constraint: string): boolean =>
  error instanceof pg.DatabaseError &&
  (error.constraint === constraint ||
    (error.code === '23505' && new RegExp(`\\b${constraint}_\\d+\\b`).test(error.message)));

/** True if PostgreSQL ended the transaction because of another one: it is safe to run it again. */
export const isRetryable = (error: unknown): boolean => /^(40001|40P01)$/.test(sqlState(error) ?? '');
