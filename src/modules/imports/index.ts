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
import { deleteOldFetches } from './sources/count-fetch.ts';

/** Imports of calendars, tables and web pages: a server reads a file, the person reviews its entries, and they become events. */
export const imports = defineModule<ImportServices>({
  tag: 'Imports',
  endpoints: { getImport, answerImportQuestions, listImportEntries, changeImportEntry, publishImport },
  jobs: [
    { name: 'read and publish imports', everyMs: 5_000, run: runImports },
    { name: 'delete old imports', everyMs: hourMs, run: ({ db, clock }) => deleteOldRuns(db, clock()) },
    {
      name: 'delete old counts of fetches',
      everyMs: hourMs,
      run: ({ db, clock }) => deleteOldFetches(db, clock()),
    },
  ],
  exportSections: importExportSections,
});

/** Receives files. It is a module of its own because its Fastify scope counts the bodies that it receives. */
export const importReception = defineModule<ImportServices>({
  tag: 'Imports',
  endpoints: { createImport },
  setup: (app) => acceptFiles(app, fileTypes),
});
