/** Searches for streets: in the answers of the last 30 days, or with one request a second of all servers to the geocoder. */
import { setTimeout as sleep } from 'node:timers/promises';
import { keyedHash } from '#base';
import type { BaseServices } from '../../../http/services.ts';
import { normalizeName } from '../names.ts';
import { askGeocoder, GeocoderError } from './ask-geocoder.ts';
import type { Street } from './dialects.ts';
import { findAnswer, storeAnswer, takeTurn } from './repo.ts';

type StreetServices = Pick<BaseServices, 'db' | 'config' | 'clock' | 'log'>;

/** A search that would wait longer for its turn finds towns. */
const maxWaitMs = 2_000;
/** The forms that a geocoder may have. */
const maxForms = 2;
/** Which form the geocoder has, once it has answered. */
let form = 0;

/** @returns null if there is no geocoder, it fails, or too many searches wait for it */
export async function searchStreets(services: StreetServices, q: string): Promise<Street[] | null> {
  const { db, config, clock, log } = services;
  if (!config.geocoder) return null;
  // The database stores a keyed hash of the search, so its readers do not learn what people searched for.
  const key = keyedHash(config.secretKey, 'geocoder', `${config.geocoder.url} ${normalizeName(q)}`);
  const known = await findAnswer(db, key, clock());
  if (known) return known;
  try {
    const streets = await askInTurn(services, q);
    if (streets) await storeAnswer(db, key, streets, clock());
    return streets;
  } catch (error) {
    if (!(error instanceof GeocoderError)) throw error;
    log.warn({ reason: error.message }, 'the geocoder did not find a street');
    return null;
  }
}

async function askInTurn({ db, config }: StreetServices, q: string): Promise<Street[] | null> {
  const { geocoder, publicUrl } = config;
  for (let asked = 0; geocoder && asked < maxForms; asked++) {
    const waitMs = await takeTurn(db, maxWaitMs);
    if (waitMs === null) return null;
    await sleep(waitMs);
    const streets = await askGeocoder(geocoder, { q, nth: form, publicUrl });
    if (streets) return streets;
    form = (form + 1) % maxForms;
  }
  return null;
}
