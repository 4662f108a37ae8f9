import { rename, rm, writeFile } from 'node:fs/promises';

/**
 * Writes a file that gets its name once it is complete, so that no reader sees a part of it. Of several processes, each
 * writes a part of its own. Not durable: after a power cut, the former file may be there.
 * @throws an error of the file system
 */
export async function replaceFile(file: string, content: string | Buffer): Promise<void> {
  const part = `${file}.${process.pid}.part`;
  try {
    await writeFile(part, content);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true }).catch(() => {});
    throw error;
  }
}
