/** The frame of a process: its output, its exit code and its end. */
import { ConfigError } from '../../config/config.ts';
import { CommandError } from './command-error.ts';
import { Interrupted } from './stop.ts';

const expectedErrors = [ConfigError, CommandError, Interrupted];

/** Runs the program of this process, prints its error and ends the process. */
export async function runProgram(program: () => Promise<void>): Promise<void> {
  // A closed pipe at stdout or stderr must not end the server.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  try {
    await program();
  } catch (error) {
    const isExpected = expectedErrors.some((kind) => error instanceof kind);
    console.error(isExpected ? (error as Error).message : error);
    process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
  }
  // All resources are closed. A leaked connection must not keep the process alive.
  setTimeout(() => process.exit(), 200).unref();
}
