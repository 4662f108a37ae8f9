import type { ChangedRecords } from '#fresh-records';
import { isOneOf, sql } from '#pg';
import { recordKinds } from '../schema/record-kinds.ts';

/** The changed records of people, for the change log. Each write raises the version of the person's row. */
export const changedPeople = (ids: string[]): ChangedRecords => ({
  kind: recordKinds.person,
  ids,
  versions: sql`
    select id::text as id, version, null::bigint as listing from users where ${isOneOf(sql`id`, ids)}`,
});
