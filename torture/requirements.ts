/** Checks that the machine has what a program needs. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fakeTime } from '../test/support/fake-time.ts';
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

/** Returns the variables of a process with another clock. @throws MissingRequirement */
export function requireFakeTime(): NonNullable<typeof fakeTime> {
  if (!fakeTime) throw new MissingRequirement('libfaketime is missing: apt-get install libfaketime');
  return fakeTime;
}
