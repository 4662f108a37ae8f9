/** The releases, oldest first, and the migrations that they froze: databases of operators have run these. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import list from './releases.json' with { type: 'json' };

/**
 * `date`: a day in ISO 8601. `schema`: the number of its last migration. `migrations`: the files that it added, with their
 * SHA-256; a clone without history has no older file to compare them with.
 */
export type Release = {
  version: string;
  date: string;
  commit: string;
  schema: number;
  migrations: Record<string, string>;
};

export const releases: Release[] = list;

export const migrationsDirectory = path.join(import.meta.dirname, '..', 'src', 'schema', 'migrations');

export const listMigrationFiles = async (directory: string): Promise<string[]> =>
  (await readdir(directory)).sort();

export const hashOf = async (file: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');

/** @returns a sentence for each file that breaks a rule of migrations */
export async function findMigrationFaults(directory: string, released: Release[]): Promise<string[]> {
  const files = await listMigrationFiles(directory);
  const numbers = [0, ...files.map((file) => Number.parseInt(file, 10))];
  const misnumbered = files.filter((_, index) => numbers[index + 1] !== (numbers[index] ?? 0) + 1);
  return [
    ...misnumbered.map((file) => `${file} does not have the next number: rename it.`),
    ...(await Promise.all(released.map((release) => findChanges(directory, release)))).flat(),
  ];
}

async function findChanges(directory: string, { version, migrations }: Release): Promise<string[]> {
  const faults: string[] = [];
  for (const [file, sha256] of Object.entries(migrations)) {
    const present = await hashOf(path.join(directory, file)).catch(() => null);
    if (present === sha256) continue;
    faults.push(
      `${file} was released with ${version} and may not change: restore it, and add a new migration instead.`,
    );
  }
  return faults;
}
