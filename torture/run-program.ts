import { type Environment, openCommandContext } from './environment.ts';
import type { Outcome, Program } from './program.ts';

/** Runs one program and closes whatever it opened, however it ends. */
export async function runProgram(
  { run }: Program,
  { quick, progress }: { quick: boolean; progress: (text: string) => void },
): Promise<Outcome> {
  const environments: Environment[] = [];
  try {
    return await run({
      size: (full, small) => (quick ? small : full),
      progress,
      open: async (options) => {
        const environment = await openCommandContext(options);
        environments.push(environment);
        return environment;
      },
    });
  } finally {
    for (const environment of environments) await environment.close();
  }
}
