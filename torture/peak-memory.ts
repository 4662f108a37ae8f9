import { readFile } from 'node:fs/promises';
import type { Server } from '../test/support/processes.ts';

/** The peak of the resident memory of the process since its start. */
export async function readPeakMb({ child }: Server): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  return Math.round(Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024);
}
