/** A production server on an empty database, as an operator starts it for the first time. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { findFreePorts } from '../../test/support/free-ports.ts';
import { entry } from './environment.ts';

/** @returns the address of the first admin, as the log has it. `stop` ends the server, and deletes its data */
export async function startFirstServer(
  env: Record<string, string> = {},
): Promise<{ address: string; stop: () => Promise<void> }> {
  const [port = 0] = await findFreePorts(1);
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'potluck-first-'));
  const server = spawn(process.execPath, [entry, 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      NODE_ENV: 'production',
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      DATA_DIR: dataDir,
      SECRET_KEY: 'of the tests of the first run, long enough',
      SMS_DRIVER: 'console',
      MAIL_DRIVER: 'console',
      LOG_LEVEL: 'warn',
      ...env,
    },
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  createInterface(server.stdout).on('line', (line) => {
    const [address] = /http:[^"]*\/setup\?token=[^"]*/.exec(line) ?? [];
    if (address) resolve(address);
  });
  server.on('exit', (code) => reject(new Error(`the server ended with code ${code}`)));
  const stop = async () => {
    if (server.exitCode === null) {
      server.kill('SIGTERM');
      await once(server, 'exit');
    }
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    return { address: await promise, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
