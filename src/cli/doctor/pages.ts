/** The pages, their map, and the keys of web push. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from '../../config/config.ts';
import { ask, parseJson } from '../../doctor/ask.ts';
import { broken, type Check, good, skipped, warning } from '../../doctor/finding.ts';
import { isPushPossible } from '../../modules/notifications/push/require-push.ts';
import { deriveVapidKeys } from '../../modules/notifications/push/vapid-keys.ts';
import { isGazetteerBuilt } from '../../modules/places/gazetteer-file.ts';
import { findBuildProblem, isBuilt } from '../../server/web/built-files.ts';
import { checkMapTiles, findTiles } from '../../server/web/map-tiles.ts';

export const pages: Check = {
  name: 'pages',
  async run() {
    if (!isBuilt()) return broken('The pages are not built: people see none.', 'Run: npm run build');
    if (!isGazetteerBuilt())
      return broken('The towns and cities are not built: a search for places fails.', 'Run: npm run build');
    if (!(await findBuildProblem())) return good('The pages are built.');
    return warning('The pages are older than their sources.', 'Run: npm run build');
  },
};

export const streets: Check = {
  name: 'streets',
  variables: ['MAP_TILES'],
  async run({ config: { mapTiles } }) {
    if ('file' in mapTiles && findTiles(mapTiles).path === null)
      return skipped(
        'The map shows countries and towns.',
        'To add the streets of a town, run: bin/potluck streets TOWN',
      );
    if ('url' in mapTiles) return skipped(`Browsers load the streets from ${new URL(mapTiles.url).host}.`);
    try {
      await checkMapTiles(mapTiles);
      return good(`The server can read ${mapTiles.file}.`);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return broken(error.message, 'Correct MAP_TILES, or run: bin/potluck streets TOWN');
    }
  },
};

/** The key that browsers get shows whether the server has the SECRET_KEY of this configuration. */
export const webPush: Check = {
  name: 'web push',
  variables: ['SECRET_KEY'],
  async run({ config }) {
    const { publicUrl, dataDir } = config;
    if (!isPushPossible(config)) return skipped('Web push needs a PUBLIC_URL that starts with https://.');
    const secretKey =
      config.secretKey ?? (await readFile(path.join(dataDir, 'secret-key'), 'utf8').catch(() => '')).trim();
    const { publicKey } = parseJson((await ask(`${publicUrl}/v1/push/key`)).text);
    if (publicKey === deriveVapidKeys(secretKey).publicKey)
      return good('The server has the keys of web push, and the SECRET_KEY of this configuration.');
    return broken(
      'The server at PUBLIC_URL was started with another SECRET_KEY.',
      'Give all servers and this command the same SECRET_KEY (without it, the same DATA_DIR), and restart the servers.',
    );
  },
};
