import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';
import { node, url } from './e2e/environment.ts';

/** Debian's package, or another one that `CHROMIUM` names. */
const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium';

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
    command: `${node} e2e/serve.ts`,
    cwd: import.meta.dirname,
    url: `${url}/readyz`,
    timeout: 60_000,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 15_000 },
  },
});
