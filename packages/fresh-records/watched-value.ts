/** A value of the database that is read once, and again after each change of it that the change log names. */
import { lazily } from '#base';
import type { Transaction } from '#pg';
import type { ChangeLog } from './change-log.ts';
import { changeKeyOf, recordChange } from './record-change.ts';

export type WatchedValue<T> = {
  /** Reads the change log first. @throws as a query of the database */
  get(): Promise<T>;
  /** Differs after each change that this server has read in the log. */
  readonly version: number;
};

/** @param name of the value in the change log */
export function watchValue<T>(changeLog: ChangeLog, name: string, read: () => Promise<T>): WatchedValue<T> {
  const key = changeKeyOf(name);
  let readOnce = lazily(read);
  let version = 0;
  changeLog.watch((change) => {
    if (change !== null && !change.changeKeys.includes(key)) return;
    // Also while a read runs: it may have begun before the change.
    readOnce = lazily(read);
    version++;
  });
  return {
    async get() {
      await changeLog.catchUp();
      return readOnce();
    },
    get version() {
      return version;
    },
  };
}

/** Records that the value was changed, as the last statement of a transaction. */
export const recordValueChange = (tx: Transaction, name: string): Promise<void> =>
  recordChange(tx, { records: [], unversioned: [name] });
