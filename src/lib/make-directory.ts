import { mkdir, readlink, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Makes a directory and its parents. The `recursive` option of Node's own mkdir never returns where a file system
 * answers ENOENT inside a directory that exists, as /proc does.
 * @throws an error of the file system
 */
export async function makeDirectory(directory: string): Promise<void> {
  if (await makeOne(directory)) return;
  const parent = path.dirname(directory);
  if (!(await exists(parent))) await makeDirectory(parent);
  // The parent exists now. If it did before, another request has made it, or nothing can be made in it.
  if (!(await makeOne(directory))) throw fileError('ENOENT', `nothing can be made in ${parent}`, directory);
}

/** @returns false if the parent does not exist, or if the file system says so */
async function makeOne(directory: string): Promise<boolean> {
  try {
    await mkdir(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    if (code !== 'EEXIST') throw error;
    if (!(await exists(directory))) {
      const target = await readlink(directory);
      throw fileError('ENOENT', `${directory} is a link to ${target}, which does not exist`, directory);
    }
    if (!(await stat(directory)).isDirectory()) throw error;
  }
  return true;
}

const fileError = (code: string, message: string, file: string) =>
  Object.assign(new Error(message), { code, path: file });

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
