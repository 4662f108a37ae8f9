import { mkdir, readlink, stat } from 'node:fs/promises';
import path from 'node:path';
import { syncDirectory } from './sync-to-disk.ts';

/**
 * Creates a directory and its parents, unless they exist, and makes their names durable. The `recursive` option of Node's mkdir does not
 * terminate on file systems that report ENOENT inside a directory that exists, such as /proc.
 * @throws an error of the file system
 */
export async function makeDirectory(directory: string): Promise<void> {
  if (await makeOne(directory)) return;
  const parent = path.dirname(directory);
  if (!(await exists(parent))) await makeDirectory(parent);
  // The parent exists now, so a second failure means that the file system does not allow directories in it.
  if (!(await makeOne(directory)))
    throw fileError('ENOENT', `no directory can be created in ${parent}`, directory);
}

/**
 * Creates one directory, unless it exists.
 * @returns false if the file system reports that the parent does not exist
 */
async function makeOne(directory: string): Promise<boolean> {
  try {
    await mkdir(directory);
    await syncDirectory(path.dirname(directory));
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

/** Returns false also for a link to a file that does not exist. */
async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return false;
  }
}
