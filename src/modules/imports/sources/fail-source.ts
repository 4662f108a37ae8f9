/** What a fetch that failed makes of a source: it is fetched less often, and after 14 days not any more. */
import { transaction } from '#pg';
import { insertOwnCause } from '../../../outbox/causes.ts';
import { givenUp } from '../import-problem.ts';
import type { ImportProblem } from '../problem-codes.ts';
import { setFailed } from '../runs/repo.ts';
import type { RunServices } from '../runs/services.ts';
import { lockTaken, type Source, setFailure } from './source-repo.ts';
import { lockOpenRuns } from './source-runs.ts';

/** In hours. */
const [maxPause, givenUpAfter] = [24, 14 * 24];
const jitter = 0.1;

/** Nothing that the source said before changes. */
export async function storeFailure(
  { db, clock }: RunServices,
  source: Source,
  problem: ImportProblem,
  hourLength: number,
): Promise<void> {
  const now = clock();
  const failures = source.failures + 1;
  const failingSince = source.failingSince ?? now;
  const isGivenUp = now.getTime() - failingSince.getTime() >= givenUpAfter * hourLength;
  const pauseMs = Math.min(maxPause, 2 ** Math.min(failures - 1, 10)) * hourLength;
  const dueAt = isGivenUp ? null : new Date(now.getTime() + pauseMs * (1 + Math.random() * jitter));
  await transaction(db, async (tx) => {
    if (!(await lockTaken(tx, source))) return;
    for (const run of await lockOpenRuns(tx, source))
      if (run.status === 'reading') await setFailed(tx, run, problem);
    const stored = isGivenUp ? givenUp(problem) : problem;
    await setFailure(tx, source, { problem: stored, failingSince, failures, dueAt });
    if (isGivenUp)
      await tx.execute(insertOwnCause({ userId: source.userId, kind: 'sourceFailed', subjectId: source.id }));
  });
}
