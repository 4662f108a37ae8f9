import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** @returns the output of a program @throws Error with the error output */
export async function runProgram(program: string, args: string[], cwd: string): Promise<string> {
  // The reports of npm exceed the default `maxBuffer`.
  const options = { cwd, timeout: 600_000, maxBuffer: 64 * 1024 * 1024 };
  try {
    return (await run(program, args, options)).stdout;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(`${program} ${args[0]}: ${stderr?.trim() || message}`);
  }
}

export const runNpm = (cwd: string, args: string[]): Promise<string> => runProgram('npm', args, cwd);
