import { type Environment, openEnvironment } from './environment.ts';
import { MissingRequirement, type Outcome, type Program } from './program.ts';

/** Runs one program, then closes its environments and cleans up, even if the program fails. */
export async function runProgram(
  { run }: Program,
  { quick, only = '', progress }: { quick: boolean; only?: string; progress: (text: string) => void },
): Promise<Outcome> {
  const environments: Environment[] = [];
  const cleanups: (() => Promise<unknown>)[] = [];
  try {
    return await run({
      size: (full, small) => (quick ? small : full),
      only,
      progress,
      addCleanup: (work) => cleanups.unshift(work),
      startEnvironment: async (options) => {
        const environment = await openEnvironment(options);
        environments.push(environment);
        return environment;
      },
    });
  } catch (error) {
    if (error instanceof MissingRequirement) return { result: error.message, ok: true, isSkipped: true };
    throw error;
  } finally {
    for (const environment of environments) await environment.close();
    for (const cleanUp of cleanups) await cleanUp();
  }
}
