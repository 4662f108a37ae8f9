/** Starts the server of the tests in a browser: the pages of this work tree, and a database of its own. */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { buildWeb } from '../build.ts';
import { dataDir, entry, port, url } from './environment.ts';

const remove = () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });

await buildWeb();
remove();
const server = spawn(process.execPath, [entry, 'serve'], {
  stdio: 'inherit',
  env: {
    ...process.env,
    PORT: String(port),
    PUBLIC_URL: url,
    DATA_DIR: dataDir,
    DEMO: 'off',
    LOG_LEVEL: 'warn',
    // That of the browser: a first visit does not tell its zone.
    TZ: 'Europe/Oslo',
  },
});
process.on('SIGTERM', () => server.kill('SIGTERM'));
server.on('exit', (code) => {
  remove();
  process.exitCode = code ?? 0;
});
