/** The disks and the memory of this machine. */
import { access, constants, stat, statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { nearestDirectory } from '#base';
import { broken, type Check, good, type Result, warning } from '../../doctor/finding.ts';
import { reserve } from '../../http/disk-reserve.ts';

const [MiB, GiB] = [1024 ** 2, 1024 ** 3];
/** In bytes and in inodes: less is a warning. */
const [fewBytes, fewInodes] = [GiB, 10_000];

export const disk: Check = {
  name: 'disk',
  variables: ['DATA_DIR'],
  async run({ config: { dataDir, s3, databaseUrl } }) {
    const uploads = s3 ? [] : [path.join(dataDir, 'uploads')];
    const database = databaseUrl === undefined ? [path.join(dataDir, 'postgres')] : [];
    const found = await Promise.all([dataDir, ...uploads, ...database].map(nearest));
    const disks = new Map(found.toReversed().map((place) => [place.device, place.directory]));
    const spaces = await Promise.all([...disks.values()].map(examineSpace));
    const [data, images] = [found[0]?.directory ?? dataDir, found[1]?.directory];
    const writable = await Promise.all(
      [...new Set([data, ...(uploads.length > 0 && images ? [images] : [])])].map(examineAccess),
    );
    return [...spaces, ...writable.filter((result) => result !== null)];
  },
};

async function nearest(place: string): Promise<{ directory: string; device: number }> {
  const directory = await nearestDirectory(place);
  const stats = await stat(directory).catch(() => null);
  return { directory, device: stats?.dev ?? 0 };
}

/** @returns null if this user can write there */
async function examineAccess(directory: string): Promise<Result | null> {
  const isDirectory = (await stat(directory)).isDirectory();
  const isWritable = await access(directory, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (isDirectory && isWritable) return null;
  return broken(
    isDirectory ? `This user cannot write to ${directory}.` : `${directory} is not a directory.`,
    'Run this command as the user of the server, and give that user the directory; or correct DATA_DIR.',
  );
}

async function examineSpace(directory: string): Promise<Result> {
  const { bavail, bsize, files, ffree } = await statfs(directory);
  const [bytes, hasInodes] = [bavail * bsize, files > 0];
  const text = `${size(bytes)} ${hasInodes ? `and ${ffree} inodes ` : ''}are free on the disk of ${directory}.`;
  const next = 'Free space, or move DATA_DIR to a larger disk.';
  if (bytes < reserve || (hasInodes && ffree === 0))
    return broken(`${text} Below ${size(reserve)}, writes are refused.`, next);
  return bytes < fewBytes || (hasInodes && ffree < fewInodes) ? warning(text, next) : good(text);
}

export const memory: Check = {
  name: 'memory',
  variables: ['CACHE_MB'],
  async run({ config: { cacheBytes } }) {
    // The limit of the cgroup, or of a container; a huge number or 0 without one.
    const limit = process.constrainedMemory();
    const total = limit > 0 ? Math.min(limit, os.totalmem()) : os.totalmem();
    const text = `CACHE_MB is ${Math.round(cacheBytes / MiB)}, of ${size(total)} that this process may use.`;
    const next = `Set CACHE_MB to ${Math.max(Math.floor(total / 4 / MiB), 16)} or less: the rest is for the server and the database.`;
    if (cacheBytes >= total) return broken(text, next);
    return cacheBytes > total / 2 ? warning(text, next) : good(text);
  },
};

const size = (bytes: number): string =>
  bytes >= GiB ? `${(bytes / GiB).toFixed(1)} GiB` : `${Math.floor(bytes / MiB)} MiB`;
