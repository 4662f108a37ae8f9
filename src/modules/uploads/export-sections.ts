/** Account export: images. */
import { Type } from 'typebox';
import { sql } from '#pg';
import { type ExportSection, exportColumns, exportRow } from '../../http/export-section.ts';
import { timestamp } from '../../http/schemas.ts';

const { id, count, day } = exportColumns;

export const uploadExportSections: ExportSection[] = [
  {
    name: 'uploads',
    row: exportRow('ExportUpload', {
      id,
      url: Type.String(),
      width: Type.Integer({ description: 'In pixels.' }),
      height: Type.Integer(),
      bytes: Type.Integer(),
      createdAt: timestamp(),
    }),
    description: 'Images; `url` is the address of the file.',
    tables: ['uploads'],
    rows: (subject) => sql`
      select id, ${subject.publicUrl}::text || '/v1/uploads/' || id || '.webp' as url, width, height, bytes, created_at
      from uploads where user_id = ${subject.id} order by id`,
  },
  {
    name: 'uploadUsage',
    row: exportRow('ExportUploadUsage', { day, today: count, bytes: count }),
    description:
      'The number of images that the person uploaded on their latest day, and the size of all of their images in bytes.',
    tables: ['upload_usage'],
    rows: (subject) => sql`
      select day::text as day, today, bytes::float8 as bytes from upload_usage where user_id = ${subject.id}`,
  },
];
