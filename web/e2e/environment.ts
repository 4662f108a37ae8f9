/** The server of the tests. Tests of several work trees may run at once, on different ports. */
import os from 'node:os';
import path from 'node:path';
import { findChromium } from '../../test/support/chromium.ts';

export const port = Number(process.env.E2E_PORT ?? 4_310);
export const url = `http://127.0.0.1:${port}`;
/** The OpenID Connect provider of the tests, and what it knows the server by. */
export const providerPort = port + 10_000;
export const oidcClient = { id: 'potluck', secret: 'of the tests', method: 'client_secret_basic' } as const;
/** Where tests serve calendars, which the server imports although the address is not public. */
export const calendarPort = port + 20_000;
export const calendarOrigin = `http://127.0.0.1:${calendarPort}`;
export const dataDir = path.join(os.tmpdir(), `potluck-e2e-${port}`);
export const entry = path.join(import.meta.dirname, '..', '..', 'bin', 'potluck.js');
/** The browser that `CHROMIUM` names, or Debian's; null if none is installed. */
export const chromium = findChromium();
/** The sandbox of Chromium does not start under root. */
export const flags = ['--no-sandbox'];
