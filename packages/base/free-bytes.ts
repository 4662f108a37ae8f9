import { statfs } from 'node:fs/promises';

/** What ordinary users may still write to the disk of a directory, in bytes. @throws an error of the file system */
export async function freeBytesOf(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}
