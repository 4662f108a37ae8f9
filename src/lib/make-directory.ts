import { mkdir, readlink, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Makes a directory and its parents. The `recursive` option of Node's own mkdir never returns where a file system
 * answers ENOENT inside a directory that exists, as /proc does.
 * @throws an error of the file system
 */
export async function makeDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const parent = path.dirname(directory);
    if (code === 'EEXIST') return expectDirectory(directory, error);
    if (code !== 'ENOENT' || (await exists(parent))) throw error;
    await makeDirectory(parent);
    await makeDirectory(directory);
  }
}

async function expectDirectory(directory: string, error: unknown): Promise<void> {
  if (await exists(directory)) {
    if ((await stat(directory)).isDirectory()) return;
    throw error;
  }
  const message = `${directory} is a link to ${await readlink(directory)}, which does not exist`;
  throw Object.assign(new Error(message), { code: 'ENOENT', path: directory });
}

/** Follows links: false for one that leads nowhere. */
async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return false;
  }
}
