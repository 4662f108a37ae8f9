/** Downloads the streets that admins want (the setting `streets`), on each machine. */
import { transaction } from '#pg';
import { isDownloaded } from '../../../config/map-tiles.ts';
import type { BaseServices } from '../../../http/services.ts';
import { recordSettingsChange, type Town } from '../../../instance/settings.ts';
import { defaultKm, downloadStreets } from './download-streets.ts';
import { StreetsError } from './street-archive.ts';
import { isSameTown, readStreetsState, type StreetsState, writeStreetsState } from './streets-state.ts';

/** After a failure. */
const retryMs = 10 * 60_000;
/** A download that takes longer begins anew. */
const longestMs = 15 * 60_000;
/** A download that reports nothing for so long has ended with its process. */
const silentMs = 60_000;

type StreetsServices = Pick<BaseServices, 'db' | 'instance' | 'config' | 'clock' | 'log'>;

/** Of several processes with one directory, two may download at the same time: each stores a whole file. */
export async function loadStreets(services: StreetsServices): Promise<void> {
  const { instance, config, clock, log } = services;
  const { streets: town } = await instance.settings();
  if (!town || !isDownloaded(config.mapTiles)) return;
  const last = await readStreetsState(config.dataDir);
  if (last && isSameTown(last.town, town) && !isDue(last, clock().getTime())) return;
  try {
    await download(services, town);
  } catch (error) {
    if (!(error instanceof StreetsError)) throw error;
    log.warn({ town: town.name, reason: error.message }, 'the streets of a town could not be downloaded');
    await report(services, town, { state: 'failed', reason: error.message });
  }
}

const isDue = ({ state, at }: StreetsState, now: number): boolean =>
  state !== 'ready' && now - at >= (state === 'failed' ? retryMs : silentMs);

async function download(services: StreetsServices, town: Town): Promise<void> {
  const { db, config, log } = services;
  let shown = 0;
  await report(services, town, { state: 'loading' });
  const { bytes } = await downloadStreets({
    dataDir: config.dataDir,
    centre: town,
    km: defaultKm,
    from: config.streetsFrom,
    stop: AbortSignal.timeout(longestMs),
    onProgress(done, total) {
      const percent = Math.floor((done * 100) / total);
      if (percent === shown) return;
      shown = percent;
      // The next report replaces one that cannot be written.
      report(services, town, { state: 'loading', done, total }).catch(() => {});
    },
  });
  await report(services, town, { state: 'ready' });
  log.info({ town: town.name, bytes }, 'the streets of a town were downloaded');
  // Stored pages have the map without them.
  await transaction(db, recordSettingsChange);
}

const report = (
  { config, clock }: StreetsServices,
  town: Town,
  state: Partial<StreetsState> & Pick<StreetsState, 'state'>,
): Promise<void> =>
  writeStreetsState(config.dataDir, { town, done: 0, total: 0, reason: '', at: clock().getTime(), ...state });
