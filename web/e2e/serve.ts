/** Starts the server of the tests in a browser: the pages of this work tree, and a database of its own. */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { openCertifiedProvider } from '../../test/support/certified-provider.ts';
import { buildWeb } from '../build.ts';
import { calendarOrigin, dataDir, entry, oidcClient, port, providerPort, url } from './environment.ts';

const remove = () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });

await buildWeb();
remove();
const provider = await openCertifiedProvider(providerPort, `${url}/sign-in/oidc`, oidcClient);
const server = spawn(process.execPath, [entry, 'serve'], {
  stdio: 'inherit',
  env: {
    ...process.env,
    PORT: String(port),
    PUBLIC_URL: url,
    DATA_DIR: dataDir,
    DEMO: 'off',
    LOG_LEVEL: 'warn',
    IMPORT_TEST_ORIGIN: calendarOrigin,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: oidcClient.id,
    OIDC_CLIENT_SECRET: oidcClient.secret,
    OIDC_NAME: 'Village account',
    // That of the browser: a first visit does not tell its zone.
    TZ: 'Europe/Oslo',
  },
});
process.on('SIGTERM', () => server.kill('SIGTERM'));
server.on('exit', (code) => {
  provider.close();
  remove();
  process.exitCode = code ?? 0;
});
