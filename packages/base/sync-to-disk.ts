/** Makes files and names durable: what is not synchronized is lost when the machine loses its power. */
import { open } from 'node:fs/promises';

/** Writes the content of the file to the disk. */
export async function syncFile(file: string): Promise<void> {
  const handle = await open(file);
  await handle.sync().finally(() => handle.close());
}

/** The errors of systems and file systems on which directories cannot be opened or synchronized. */
const unsupported = new Set(['EACCES', 'EBADF', 'EINVAL', 'EISDIR', 'ENOTSUP', 'EPERM']);

/**
 * Writes the names in the directory to the disk. A new, linked or renamed file is durable only after its directory has
 * been synchronized. Does nothing where directories cannot be synchronized.
 */
export async function syncDirectory(directory: string): Promise<void> {
  await syncFile(directory).catch((error: NodeJS.ErrnoException) => {
    if (!unsupported.has(error.code ?? '')) throw error;
  });
}
