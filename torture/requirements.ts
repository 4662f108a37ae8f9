/** Checks that the machine has the commands that a program runs. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { MissingRequirement } from './program.ts';

const run = promisify(execFile);

/** @throws MissingRequirement that names the Debian package of the first missing command */
export async function requireCommands(packageOf: Record<string, string>): Promise<void> {
  for (const [command, name] of Object.entries(packageOf)) {
    await run('/bin/sh', ['-c', 'command -v "$0"', command]).catch(() => {
      throw new MissingRequirement(`${command} is missing: apt-get install ${name}`);
    });
  }
}
