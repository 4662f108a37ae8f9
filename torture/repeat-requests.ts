import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { RepeatedRequest, RepeatedResult } from './repeat-request.ts';

/** Runs an attack in a process of its own. */
export async function repeatRequests(attack: RepeatedRequest): Promise<RepeatedResult> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'repeat-request.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(attack));
  return JSON.parse(await text(child.stdout));
}
