import { stat } from 'node:fs/promises';
import path from 'node:path';

/** The directory, or the one in which it will be created. */
export async function nearestDirectory(directory: string): Promise<string> {
  const parent = path.dirname(directory);
  const exists = await stat(directory).then(
    () => true,
    () => false,
  );
  return exists || parent === directory ? directory : nearestDirectory(parent);
}
