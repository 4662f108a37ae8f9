import { defineConfig } from '@playwright/test';
import { chromium, flags, url } from './e2e/environment.ts';

if (!chromium) {
  const message = 'There is no Chromium: install chromium-headless-shell, or name a browser in CHROMIUM.';
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
  reporter: [['list', { printSteps: false }], ['./e2e/failures-reporter.ts']],
  projects: [
    { name: 'pages', testIgnore: 'switches.e2e.ts' },
    { name: 'switches', testMatch: 'switches.e2e.ts', dependencies: ['pages'] },
  ],
  use: {
    baseURL: url,
    viewport: { width: 360, height: 740 },
    locale: 'en-GB',
    timezoneId: 'Europe/Oslo',
    launchOptions: { executablePath: chromium, args: flags },
    trace: 'off',
  },
  webServer: {
    command: `${process.execPath} e2e/serve.ts`,
    cwd: import.meta.dirname,
    url: `${url}/readyz`,
    timeout: 180_000,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 15_000 },
  },
});
