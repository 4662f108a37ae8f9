/** Reads and publishes imports, on any server: one that ends leaves its import to the others. */
import { isTransient } from '#pg';
import { CalendarError } from '../calendar-error.ts';
import { problemOfFetched, problemOfFile, problemOfSource, SourceProblem } from '../import-problem.ts';
import type { ImportProblem } from '../problem-codes.ts';
import { publishRun } from './publish-run.ts';
import { readRun } from './read-run.ts';
import { claimRun, findRun, listDue, type Run, setFailed } from './repo.ts';
import type { RunServices } from './services.ts';

/**
 * Begins the work on what a request has made due, without waiting for it: the job would begin it some seconds later. Such work
 * follows that which requests began before.
 */
export function startImports(services: RunServices): void {
  const before = latest.get(services.db) ?? Promise.resolve();
  const next = before
    .then(() => runImports(services))
    // What fails here is repeated by the job, once its lease has ended.
    .catch((error: unknown) => services.log.warn({ err: error }, 'an import was interrupted'));
  latest.set(services.db, next);
}

/** The latest work that requests have begun, by database. */
const latest = new WeakMap<object, Promise<void>>();

/** Works on the imports that are due, one after the other. Each has a part of its work done before the next one. */
export async function runImports(services: RunServices): Promise<void> {
  const { db, clock } = services;
  for (let due = await listDue(db, clock()); due.length > 0; due = await listDue(db, clock())) {
    for (const key of due) {
      if (!(await claimRun(db, key, clock()))) continue;
      const run = await findRun(db, key);
      if (run) await workOn(services, run);
    }
  }
}

async function workOn(services: RunServices, run: Run): Promise<void> {
  try {
    if (run.status === 'reading') await readRun(services, run);
    if (run.status === 'publishing') await publishRun(services, run);
  } catch (error) {
    // Another attempt follows when the lease ends.
    if (isTransient(error)) throw error;
    const problem = problemOf(error, run);
    if (problem) return await setFailed(services.db, run, problem);
    services.log.error({ err: error, importId: run.id }, 'an import failed');
    await setFailed(services.db, run, { code: 'file_unreadable', detail: 'The file could not be imported.' });
  }
}

/** Null for an error of the server. */
function problemOf(error: unknown, { media }: Run): ImportProblem | null {
  if (error instanceof SourceProblem) return problemOfSource(error.code);
  if (!(error instanceof CalendarError)) return null;
  return media === 'url' ? problemOfFetched(error) : problemOfFile(error);
}
