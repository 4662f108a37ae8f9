/** What event-fields.ts declares about each field of an event. The column of a field has its name in snake_case. */
import { type Static, type TSchema, Type } from 'typebox';
import { timestamp } from '../../http/schemas.ts';

export type Field<Stored extends TSchema = TSchema> = {
  /** The SQL expression of the stored value, if it is not the column. */
  select?: string;
  /** The schema of the stored value: the type of the row's field, and the schema in the export. */
  stored: Stored;
  input: TSchema;
  /** The schema in responses, if it is not `stored`. */
  response?: TSchema;
  /** The value in a new event, unless the request must have the field or event-rules.ts computes it. */
  default?: Static<Stored>;
  /** The value in a duplicate, if it is not that of the original. */
  inCopy?: Static<Stored>;
  /** Lists do not show the field. */
  onlyInRecord?: true;
  /** The property of calendar entries that shows the field. DESCRIPTION has the texts of all its fields. */
  calendar?:
    | 'SUMMARY'
    | 'DESCRIPTION'
    | 'DTSTART'
    | 'DTEND'
    | 'LOCATION'
    | 'GEO'
    | 'CATEGORIES'
    | 'STATUS'
    | 'CLASS';
  /** Whether guests are notified of a change. */
  isAnnounced?: true;
};

/** Declares a field; its values have the type of `stored`. */
export const field = <Stored extends TSchema>(row: Field<Stored>): Field<Stored> => row;

/** A stored time. */
export const instant = Type.Unsafe<Date>(timestamp());
/** A time in a request. */
export const inputTime = (description: string) =>
  Type.String({ format: 'timestamp', description, examples: ['2026-12-24T18:00:00+01:00'] });
