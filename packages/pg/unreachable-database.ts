import type { Database } from './client.ts';
import { ConnectionLostError } from './run-statement.ts';

const refuse = () => Promise.reject(new ConnectionLostError(null));

/** A database without a server: each statement fails as after a lost connection. */
export const unreachableDatabase: Database = {
  target: '',
  query: refuse,
  execute: refuse,
  isDistributed: refuse,
  checkOut: refuse,
  pools: () => ({}),
  end: async () => {},
};
