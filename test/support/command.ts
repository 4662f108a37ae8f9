/** Runs a CLI command in a child process, on the database of a test. */
import { execFile } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..', '..');

export type CommandResult = { code: number; stdout: string; stderr: string };

export const command = (databaseUrl: string, ...args: string[]): Promise<CommandResult> =>
  commandOf(root, databaseUrl, ...args);

/** Runs a command of the Potluck in a directory, such as that of `createNewerVersion`. */
export function commandOf(home: string, databaseUrl: string, ...args: string[]): Promise<CommandResult> {
  const main = path.join(home, 'bin', 'potluck.js');
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    // No file is written to this directory, because SECRET_KEY is set.
    DATA_DIR: path.join(os.tmpdir(), 'potluck-commands'),
    SECRET_KEY: 'the-key-of-the-tests-is-long-enough',
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}
