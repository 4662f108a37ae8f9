/** Account export: the relations of the person to other people. */
import { raw, sql } from '#pg';
import { type ExportSection, exportColumns, exportRow } from '../../http/export-section.ts';

const { id, name, username } = exportColumns;

/** A person whom the exported person follows or blocked, or who follows the exported person. */
const ExportPerson = exportRow('ExportPerson', { userId: id, name, username });

const relatedPeople = (
  section: string,
  description: string,
  column: 'follows' | 'followed_by' | 'blocks',
): ExportSection => ({
  name: section,
  row: ExportPerson,
  description,
  tables: ['relations'],
  rows: (subject) => sql`
    with others as materialized (
      select other_id from relations where user_id = ${subject.id} and ${raw(column)}
    )
    select u.id as user_id, u.name, u.username from others o join users u on u.id = o.other_id order by u.id`,
});

export const peopleExportSections: ExportSection[] = [
  relatedPeople('following', 'The people whom the person follows.', 'follows'),
  relatedPeople('followers', 'The people who follow the person.', 'followed_by'),
  relatedPeople(
    'blocks',
    'The people whom the person blocked, and not those who blocked the person.',
    'blocks',
  ),
];
