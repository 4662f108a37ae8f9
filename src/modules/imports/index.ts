import { hourMs } from '#base';
import { defineModule } from '../../http/define-module.ts';
import { acceptFiles } from '../uploads/sent-file.ts';
import { answerImportQuestions } from './runs/answer-questions.ts';
import { changeImportEntry } from './runs/change-entry.ts';
import { createImport, fileTypes } from './runs/create-import.ts';
import { importExportSections } from './runs/export-sections.ts';
import { getImport } from './runs/get-import.ts';
import { listImportEntries } from './runs/list-entries.ts';
import { publishImport } from './runs/publish-import.ts';
import { deleteOldRuns } from './runs/repo.ts';
import { runImports } from './runs/run-imports.ts';
import type { ImportServices } from './runs/services.ts';
import { updateSource } from './sources/change-source.ts';
import { deleteOldFetches } from './sources/count-fetch.ts';
import { deleteSource } from './sources/delete-source.ts';
import { sourceExportSections } from './sources/export-sections.ts';
import { followSources } from './sources/follow-sources.ts';
import { getSource } from './sources/get-source.ts';
import { listImportSources } from './sources/list-sources.ts';
import { refreshSource } from './sources/refresh-source.ts';
import { deleteUnusedFetches } from './sources/shared-fetches.ts';

/** Imports of calendars, tables and web pages: a server reads a file, the person reviews its entries, and they become events. */
export const imports = defineModule<ImportServices>({
  tag: 'Imports',
  endpoints: {
    ...{ getImport, answerImportQuestions, listImportEntries, changeImportEntry, publishImport },
    ...{ listImportSources, getSource, updateSource, deleteSource, refreshSource },
  },
  jobs: [
    // At the address of tests, an hour is a second.
    { name: 'follow calendars', everyMs: 1_000, run: followSources },
    { name: 'read and publish imports', everyMs: 5_000, run: runImports },
    { name: 'delete old imports', everyMs: hourMs, run: ({ db, clock }) => deleteOldRuns(db, clock()) },
    {
      name: 'delete old counts of fetches',
      everyMs: hourMs,
      run: ({ db, clock }) => deleteOldFetches(db, clock()),
    },
    {
      name: 'delete old answers of addresses',
      everyMs: hourMs,
      run: ({ db, clock }) => deleteUnusedFetches(db, clock()),
    },
  ],
  exportSections: [...sourceExportSections, ...importExportSections],
});

/** Receives files. It is a module of its own because its Fastify scope counts the bodies that it receives. */
export const importReception = defineModule<ImportServices>({
  tag: 'Imports',
  endpoints: { createImport },
  setup: (app) => acceptFiles(app, fileTypes),
});
