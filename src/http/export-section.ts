/** Declares a section of the account export: the rows of a person in the tables of one module. */
import { type TProperties, type TSchema, Type } from 'typebox';
import type { Statement } from '#pg';
import type { Contact } from '../lib/contact.ts';
import { named } from './schemas.ts';

/** The person whose data is exported. `contactHashes`: the keys of the rows of the contacts in `codes`. */
export type ExportSubject = {
  id: string;
  contacts: Contact[];
  contactHashes: Buffer[];
  secretKey: string;
  publicUrl: string;
};

export type ExportSection = {
  /** The field of the document. */
  name: string;
  description: string;
  /** A named schema. The rows have all columns of the statement. */
  row: TSchema;
  /**
   * The tables whose rows of the person this section exports. test/accounts/export.test.ts searches every table for
   * data of a person and fails for a table that no section names.
   */
  tables: string[];
  /**
   * Selects the rows, without hashes, and without data about other people that the person may not see.
   */
  rows: (subject: ExportSubject) => Statement;
};

/** The schema of a row. */
export const exportRow = <P extends TProperties>(name: string, properties: P) =>
  named(name, Type.Object(properties));

/** Columns that rows of several sections have. */
export const exportColumns = {
  id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1'] }),
  itemId: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1.1'] }),
  count: Type.Integer({ minimum: 0, examples: [14] }),
  day: Type.String({ format: 'date', description: 'In UTC.', examples: ['2026-12-24'] }),
  name: Type.String({ examples: ['Mara Lindgren'] }),
  username: Type.String({ examples: ['mara.l'] }),
};
