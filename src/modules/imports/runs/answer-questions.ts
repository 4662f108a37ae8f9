import type { Transaction } from '#pg';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { actAs } from '../../../identity/act-as.ts';
import { invalid, Problem } from '../../../lib/errors.ts';
import { readId } from '../../../lib/ids.ts';
import { startSources } from '../sources/follow-sources.ts';
import { keepAnswers, lockSource, makeDue } from '../sources/source-repo.ts';
import type { Answers } from '../tables/date-order.ts';
import { toImport } from './present.ts';
import { findRun, lockRun, type Run, setAnswers } from './repo.ts';
import { startImports } from './run-imports.ts';
import { Import, ImportChange, ImportParams } from './schemas.ts';
import type { ImportServices } from './services.ts';

export const answerImportQuestions = defineEndpoint({
  method: 'PATCH',
  path: '/v1/imports/:id',
  summary: 'Answer the questions of an import',
  description:
    'Before the publication. Once no question is open, a server reads the file with the answers: `status` is `reading` again, and then ' +
    '`review`. An answer that was given before may be sent again.',
  caller: 'fresh',
  params: ImportParams,
  body: ImportChange,
  response: { 200: Import },
  problems: ['import_not_found', 'import_published'],

  async handler({ caller, params, body }, services: ImportServices) {
    const { db, clock } = services;
    const id = readId(params.id, 'import_not_found');
    const run = await actAs(db, caller, async (tx, caller) => {
      const sourceId = (await findRun(tx, { userId: caller.id, id }))?.sourceId ?? null;
      const source = sourceId === null ? null : { userId: caller.id, id: sourceId };
      if (source) await lockSource(tx, source);
      // Of two requests at once, the second waits here and finds the question answered.
      const run = await lockRun(tx, { userId: caller.id, id });
      if (!run) throw new Problem('import_not_found');
      const answered = await answer(tx, run, body.answers, source ? null : clock());
      // The source is read with the answers, now and from now on.
      if (source) await keepAnswers(tx, source, answered.answers);
      if (source && answered.status === 'reading') await makeDue(tx, source, clock());
      return answered;
    });
    startImports(services);
    startSources(services);
    return { status: 200, body: toImport(run) };
  },
});

/** @throws Problem `invalid_request` for a question that is not open; `import_published` */
async function answer(tx: Transaction, run: Run, given: Answers, now: Date | null): Promise<Run> {
  const added = Object.entries(given).filter(([id, option]) => run.answers[id] !== option);
  if (run.status !== 'review' && (added.length > 0 || run.status !== 'reading'))
    throw new Problem('import_published');
  if (added.length === 0) return run;
  for (const [id] of added)
    if (!run.questions.some((question) => question.id === id))
      throw invalid(`answers.${id}`, 'is not the id of an open question');
  const answers = { ...run.answers, ...given };
  const questions = run.questions.filter(({ id }) => answers[id] === undefined);
  await setAnswers(tx, run, { answers, questions, now });
  return { ...run, answers, questions, status: questions.length === 0 ? 'reading' : run.status };
}
