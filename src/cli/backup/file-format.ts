/**
 * The format of the database in a backup: SQL compressed with gzip, like the output of pg_dump, so `zcat FILE | psql` can load
 * it. The first line is a comment with the header. Each table follows as `copy … from stdin` with its rows up to `\.`. The last
 * line is a comment with the number of rows of each table and a hash of all preceding lines, which detects truncated and
 * modified files. Backups of development versions are such a file, without an archive around it.
 */
export type BackupHeader = {
  /** 1: written by a development version (development-backup.ts). */
  format: 1 | 2;
  /** The version of Potluck that wrote the file. */
  potluck: string;
  /** The number of the last migration of the database. */
  schema: number;
  /** The time of the backup, in ISO 8601. */
  at: string;
};
/**
 * The number of rows by table name, and the hash of the uncompressed file before the last line, in
 * hexadecimal.
 */
export type BackupSummary = { rows: Record<string, number>; sha256: string };
export type TableColumns = { name: string; columns: string[] };

export const headerPrefix = '-- Potluck backup ';
export const summaryPrefix = '-- end ';
export const endOfRows = '\\.';
export const newline = 10;

export const headerLine = (header: BackupHeader): string => `${headerPrefix}${JSON.stringify(header)}\n`;
export const summaryLine = (summary: BackupSummary): string => `${summaryPrefix}${JSON.stringify(summary)}\n`;
export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
/** The statement that loads the rows of a table. */
export const copyStatement = ({ name, columns }: TableColumns): string =>
  `copy ${quoteIdentifier(name)} (${columns.map(quoteIdentifier).join(', ')}) from stdin`;

/** The statements before the first table. psql runs them; `potluck restore` ignores them. */
export const setupStatements = [
  "set statement_timeout = 0; set lock_timeout = 0; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres';",
  'begin;',
].join('\n');
