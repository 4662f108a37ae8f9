import { readCursor, toPage } from '../../../http/cursors.ts';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { languageOf } from '../../../http/request-language.ts';
import { requireRun } from './get-import.ts';
import { toEntry } from './present.ts';
import { listEntries } from './repo.ts';
import { EntryPage, EntryQuery, ImportParams } from './schemas.ts';
import type { ImportServices } from './services.ts';

export const listImportEntries = defineEndpoint({
  method: 'GET',
  path: '/v1/imports/:id/entries',
  summary: 'List the entries of an import',
  description: 'In the order of the file. Empty until the file is read.',
  caller: 'fresh',
  params: ImportParams,
  query: EntryQuery,
  response: { 200: EntryPage },
  problems: ['import_not_found'],

  async handler({ caller, params, query, request }, services: ImportServices) {
    const { db } = services;
    const [after = 0] = readCursor(query.cursor, 'number') ?? [];
    const run = await requireRun(db, caller.id, params.id);
    const { state, limit } = query;
    const found = await listEntries(db, run, { state, after, limit: limit + 1 });
    const { rows, nextCursor } = toPage(found, limit, ({ n }) => [n]);
    const language = await languageOf(services, request);
    return { status: 200, body: { data: rows.map((row) => toEntry(row, language)), nextCursor } };
  },
});
