/** The schema of the export, composed of the sections of all modules. */
import { type TSchema, Type } from 'typebox';
import type { ExportSection } from '../../../http/export-section.ts';
import { named, ref, timestamp } from '../../../http/schemas.ts';

/** The response of the endpoint. `exportComponents` returns the component that it refers to. */
export const ExportReference = Type.Unsafe<unknown>({ $ref: 'Export#' });

/** The components `Export` and those of its rows. @param sections in the order of the document */
export function exportComponents(sections: ExportSection[]): TSchema[] {
  const fields = sections.map(({ name, description, row }) => [name, Type.Array(ref(row), { description })]);
  const document = Type.Object({ exportedAt: timestamp(), ...Object.fromEntries(fields) });
  return [named('Export', document), ...new Set(sections.map(({ row }) => row))];
}
