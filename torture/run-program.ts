import type { Outcome, Program } from './program.ts';
import { openCommandContext, type World } from './world.ts';

/** Runs one program and closes whatever it opened, however it ends. */
export async function runProgram(
  { run }: Program,
  { quick, progress }: { quick: boolean; progress: (text: string) => void },
): Promise<Outcome> {
  const worlds: World[] = [];
  try {
    return await run({
      size: (full, small) => (quick ? small : full),
      progress,
      open: async (options) => {
        const world = await openCommandContext(options);
        worlds.push(world);
        return world;
      },
    });
  } finally {
    for (const world of worlds) await world.close();
  }
}
