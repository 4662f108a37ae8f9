/** Runs a test file in a process of its own, with or without a fault, until its first failure. */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { type Fault, pathOfTest, root } from './fault.ts';

/** `failed` names the first test that failed. `ended`: the process ended with an error, but no test failed. */
export type Outcome =
  | { kind: 'passed' | 'timeout' }
  | { kind: 'failed'; test: string }
  | { kind: 'ended'; output: string };

/** The longest test file takes a third of it on a busy machine. */
const timeoutMs = 120_000;
const preload = path.join(import.meta.dirname, 'apply-fault.ts');

export function runTestFile(test: string, fault: Fault | null): Promise<Outcome> {
  const child = spawn(process.execPath, ['--test-reporter=tap', pathOfTest(test)], {
    cwd: root,
    // Commands of tests are processes of their own, and inherit the option.
    env: {
      ...process.env,
      ALL_CASES: 'true',
      ...(fault && { MUTATION: JSON.stringify(fault), NODE_OPTIONS: `--import=${preload}` }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group, so that the end of a test file also ends the processes that it started.
    detached: true,
  });
  return new Promise((resolve) => {
    let output = '';
    const end = (outcome: Outcome) => {
      clearTimeout(timer);
      killGroup(child);
      resolve(outcome);
    };
    const timer = setTimeout(end, timeoutMs, { kind: 'timeout' });
    const read = (text: string) => {
      output += text;
      const [, name] = /^ *not ok \d+ - (.*)\n/m.exec(output) ?? [];
      if (name !== undefined) end({ kind: 'failed', test: name });
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
    child.on('close', (code) => end(code === 0 ? { kind: 'passed' } : { kind: 'ended', output }));
  });
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
