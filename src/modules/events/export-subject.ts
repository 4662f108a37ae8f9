/** Account export: what a row is about, an event or all dates of a series. */
import { Type } from 'typebox';
import { type Statement, sql } from '#pg';
import { exportColumns } from '../../http/export-section.ts';
import { nullable } from '../../http/schemas.ts';

/** The schema of `subjectColumns`. @param description of the id of the series */
export const subjectFields = (description: string) => ({
  eventId: nullable(exportColumns.id),
  seriesId: nullable(Type.String({ description })),
});

/** @param table its alias; it has `subject_id` and `is_of_series` */
export const subjectColumns = (table: Statement): Statement => sql`
  case when not ${table}.is_of_series then ${table}.subject_id end as event_id,
  case when ${table}.is_of_series then ${table}.subject_id end as series_id`;
