/** Builds the pages where they are missing or older than their sources. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const script = path.join(import.meta.dirname, '..', '..', '..', 'web', 'build.ts');
const timeoutMs = 120_000;

const run = promisify(execFile);

/**
 * Runs web/build.ts, which does nothing if the pages are current. In a process of its own, because the tools
 * take more memory than the server.
 * @returns why the pages could not be built, or null; the server then serves the API with a page that says so
 */
export async function buildPages(): Promise<Error | null> {
  try {
    await run(process.execPath, [script], { timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024 });
    return null;
  } catch (error) {
    return error as Error;
  }
}
