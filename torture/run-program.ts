import { type Environment, openEnvironment } from './environment.ts';
import type { Outcome, Program } from './program.ts';

/** Runs one program, then closes its environments, even if the program fails. */
export async function runProgram(
  { run }: Program,
  { quick, progress }: { quick: boolean; progress: (text: string) => void },
): Promise<Outcome> {
  const environments: Environment[] = [];
  try {
    return await run({
      size: (full, small) => (quick ? small : full),
      progress,
      startEnvironment: async (options) => {
        const environment = await openEnvironment(options);
        environments.push(environment);
        return environment;
      },
    });
  } finally {
    for (const environment of environments) await environment.close();
  }
}
