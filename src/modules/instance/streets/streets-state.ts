/** What became of the streets that admins want, on this machine: a file beside them, for all of its server processes. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { replaceFile } from '#base';
import type { Town } from '../../../instance/settings.ts';

/** `done` and `total`: tiles. `reason`: of the failure, for admins. `at`: when it was written, in ms. */
export type StreetsState = {
  town: Town;
  state: 'loading' | 'ready' | 'failed';
  done: number;
  total: number;
  reason: string;
  at: number;
};

const fileOf = (dataDir: string): string => path.join(dataDir, 'streets.json');

/** @returns null if there is none that can be read */
export async function readStreetsState(dataDir: string): Promise<StreetsState | null> {
  try {
    return JSON.parse(await readFile(fileOf(dataDir), 'utf8'));
  } catch {
    return null;
  }
}

export const writeStreetsState = (dataDir: string, state: StreetsState): Promise<void> =>
  replaceFile(fileOf(dataDir), JSON.stringify(state));

export const isSameTown = (a: Town, b: Town): boolean => a.lat === b.lat && a.lng === b.lng;
