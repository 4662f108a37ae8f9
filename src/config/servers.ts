import { availableParallelism } from 'node:os';
import { isWhole, type Reader } from './reader.ts';

/** More of them would need more connections than the embedded PostgreSQL has (packages/pg/client.ts). */
const maxServers = 8;

/** Reads SERVERS: a number, or `auto` for one process on each processor core. */
export function readServers(read: Reader): number {
  const value = read.text('SERVERS') ?? '1';
  if (value === 'auto') return Math.min(availableParallelism(), maxServers);
  if (isWhole(value, 1, maxServers)) return Number(value);
  read.faults.push(`SERVERS is "${value}"; it must be auto or a whole number from 1 to ${maxServers}.`);
  return 1;
}
