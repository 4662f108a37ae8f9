/** Starts the server of the tests in a browser: the pages of this work tree, and a database of its own. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buildWeb } from '../build.ts';

await buildWeb();
const dataDir = mkdtempSync(path.join(os.tmpdir(), 'potluck-e2e-'));
const entry = path.join(import.meta.dirname, '..', '..', 'bin', 'potluck.js');
const server = spawn(process.execPath, [entry, 'serve'], {
  stdio: 'inherit',
  env: { ...process.env, DATA_DIR: dataDir, DEMO: 'off', LOG_LEVEL: 'warn' },
});
process.on('SIGTERM', () => server.kill('SIGTERM'));
server.on('exit', (code) => {
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  process.exitCode = code ?? 0;
});
