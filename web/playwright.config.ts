import { existsSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from '@playwright/test';

/** Debian's package, or another one that `CHROMIUM` names. */
const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium';
/** Tests of several work trees may run at once. */
const port = Number(process.env.E2E_PORT ?? 4_310);
const url = `http://127.0.0.1:${port}`;

if (!existsSync(chromium)) {
  const message = `${chromium} does not exist: install Chromium, or name it in CHROMIUM.`;
  if (process.env.CI) throw new Error(message);
  console.log(`The tests in a browser are skipped. ${message}`);
  process.exit(0);
}

export default defineConfig({
  testDir: 'e2e',
  testMatch: '*.e2e.ts',
  outputDir: 'test-results',
  fullyParallel: true,
  workers: 2,
  timeout: 30_000,
  expect: { timeout: 5_000 },
  forbidOnly: Boolean(process.env.CI),
  reporter: [['list', { printSteps: false }]],
  use: {
    baseURL: url,
    viewport: { width: 360, height: 740 },
    locale: 'en-GB',
    timezoneId: 'Europe/Oslo',
    launchOptions: { executablePath: chromium, args: ['--no-sandbox'] },
    trace: 'off',
  },
  webServer: {
    command: 'node e2e/serve.ts',
    cwd: import.meta.dirname,
    env: {
      PATH: `${path.join(import.meta.dirname, '..', 'node_modules', '.bin')}:${process.env.PATH}`,
      PORT: String(port),
      PUBLIC_URL: url,
    },
    url: `${url}/readyz`,
    timeout: 60_000,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 15_000 },
  },
});
