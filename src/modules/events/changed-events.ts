/**
 * The versions of events in the change log. The record of an event is its row and its counters: each write raises the
 * version of the row that it changes, and the version of the record is the sum. Lists show nothing of the counters, so
 * the discovery index compares the version of the event's row alone.
 */
import type { ChangedRecords } from '#fresh-records';
import { isOneOf, sql } from '#pg';
import { recordKinds } from '../../schema/record-kinds.ts';
import { listedCondition } from './policy.ts';

/** The changed records of events, for the change log. */
export const changedEvents = (ids: string[]): ChangedRecords => ({
  kind: recordKinds.event,
  ids,
  versions: sql`
    select e.id::text as id, e.version + c.version as version,
      2 * e.version + (${listedCondition()})::int as listing
    from events e join event_counters c on c.event_id = e.id
    where ${isOneOf(sql`e.id`, ids)}`,
});

/** The listing version of an event that lists show, by the version of its row. */
export const listedVersion = (version: number): number => 2 * version + 1;

/** Whether lists show the event after the change that gave it this listing version. */
export const isListedVersion = (listing: number): boolean => listing % 2 === 1;
