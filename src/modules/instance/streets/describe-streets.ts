import { existsSync } from 'node:fs';
import type { Static } from 'typebox';
import type { ReadyConfig } from '../../../config/config.ts';
import { downloadedStreets, isDownloaded } from '../../../config/map-tiles.ts';
import type { Town } from '../../../instance/settings.ts';
import type { StreetsState as StreetsStateSchema } from '../schemas.ts';
import { isSameTown, readStreetsState } from './streets-state.ts';

/** What admins read about the streets on this machine. */
export async function describeStreets(
  { mapTiles, dataDir }: Pick<ReadyConfig, 'mapTiles' | 'dataDir'>,
  town: Town | null,
): Promise<Static<typeof StreetsStateSchema>> {
  const plain = { percent: 0, reason: '' };
  if (!isDownloaded(mapTiles)) return { state: 'fixed', ...plain };
  if (!town) return { state: existsSync(downloadedStreets(dataDir)) ? 'ready' : 'none', ...plain };
  const last = await readStreetsState(dataDir);
  if (!last || !isSameTown(last.town, town)) return { state: 'waiting', ...plain };
  const { state, done, total, reason } = last;
  return { state, percent: total === 0 ? 0 : Math.floor((done * 100) / total), reason };
}
