import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { actAs } from '../../../identity/act-as.ts';
import { Problem } from '../../../lib/errors.ts';
import { readId } from '../../../lib/ids.ts';
import { makeDue } from '../sources/source-repo.ts';
import { toImport } from './present.ts';
import { findRun, lockRun, setPublishing } from './repo.ts';
import { startImports } from './run-imports.ts';
import { Import, ImportParams, Publication } from './schemas.ts';
import type { ImportServices } from './services.ts';

export const publishImport = defineEndpoint({
  method: 'POST',
  path: '/v1/imports/:id/publish',
  summary: 'Make events of the entries of an import',
  description:
    'Once, in the state `review`: what the review shows is published after the response. Followers of the caller are not notified of ' +
    'imported events; guests of changed ones are, as of other changes. A person can import 1,000 events a day (UTC): more of them wait.',
  caller: 'fresh',
  params: ImportParams,
  body: Publication,
  response: { 202: Import },
  problems: ['import_not_found', 'import_published', 'question_open'],

  async handler({ caller, params, body }, services: ImportServices) {
    const { db, clock } = services;
    const id = readId(params.id, 'import_not_found');
    const run = await actAs(db, caller, async (tx, caller) => {
      const key = { userId: caller.id, id };
      const sourceId = (await findRun(tx, key))?.sourceId ?? null;
      // A server that reads the source at this moment would review again what is published now: it loses the source.
      if (sourceId !== null) await makeDue(tx, { userId: caller.id, id: sourceId }, clock());
      // Of two requests at once, the second waits here and finds the import published.
      const run = await lockRun(tx, key);
      if (!run) throw new Problem('import_not_found');
      if (run.status !== 'review') throw new Problem('import_published');
      if (run.questions.length > 0) throw new Problem('question_open');
      await setPublishing(tx, key, { publishesDoubtful: body.doubtful === 'publish', now: clock() });
      return { ...run, status: 'publishing' as const };
    });
    startImports(services);
    return { status: 202, body: toImport(run) };
  },
});
